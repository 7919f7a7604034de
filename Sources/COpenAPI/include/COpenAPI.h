// The bytes of docs/api/openapi.json, built into the program that serves it.
#pragma once

const unsigned char *holdfast_openapi_json(void);
unsigned long holdfast_openapi_json_size(void);
