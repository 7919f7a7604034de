#pragma once

#include <libpq-fe.h>

/* Character macros are not imported into Swift: the fields of an error report, by name. */
static const int holdfast_diag_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int holdfast_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int holdfast_diag_message = PG_DIAG_MESSAGE_PRIMARY;
static const int holdfast_diag_schema = PG_DIAG_SCHEMA_NAME;
static const int holdfast_diag_table = PG_DIAG_TABLE_NAME;
static const int holdfast_diag_column = PG_DIAG_COLUMN_NAME;
static const int holdfast_diag_constraint = PG_DIAG_CONSTRAINT_NAME;
