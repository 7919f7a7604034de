#pragma once

// libcrypto as it is: every call that Signing makes is a plain function of OpenSSL 3.0, so there is
// nothing to wrap here. Stacks of certificates go through OPENSSL_sk_*, since sk_X509_* are macros.
#include <openssl/asn1.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>
#include <openssl/ocsp.h>
#include <openssl/rand.h>
#include <openssl/stack.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
