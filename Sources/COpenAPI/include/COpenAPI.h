// The bytes of docs/api/openapi.json and docs/api/rule-set.schema.json, built into the program that serves them.
#pragma once

const unsigned char *holdfast_openapi_json(void);
unsigned long holdfast_openapi_json_size(void);
const unsigned char *holdfast_rule_set_schema_json(void);
unsigned long holdfast_rule_set_schema_json_size(void);
