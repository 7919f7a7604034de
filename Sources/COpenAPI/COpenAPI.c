#include "COpenAPI.h"

// `#embed` is C23, which this compiler has and warns of in C17.
#pragma clang diagnostic ignored "-Wc23-extensions"

// SwiftPM's own embedding writes a Swift array literal, which takes two minutes for a file of this size.
static const unsigned char document[] = {
#embed "../../docs/api/openapi.json"
};

static const unsigned char rule_set_schema[] = {
#embed "../../docs/api/rule-set.schema.json"
};

const unsigned char *holdfast_openapi_json(void) { return document; }
unsigned long holdfast_openapi_json_size(void) { return sizeof document; }
const unsigned char *holdfast_rule_set_schema_json(void) { return rule_set_schema; }
unsigned long holdfast_rule_set_schema_json_size(void) { return sizeof rule_set_schema; }
