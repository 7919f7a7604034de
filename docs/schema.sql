--
-- PostgreSQL database dump
--



SELECT pg_catalog.set_config('search_path', '', false);

--
-- Name: holdfast; Type: SCHEMA; Schema: -; Owner: holdfast_owner
--

CREATE SCHEMA holdfast;


ALTER SCHEMA holdfast OWNER TO holdfast_owner;

--
-- Name: SCHEMA holdfast; Type: COMMENT; Schema: -; Owner: holdfast_owner
--

COMMENT ON SCHEMA holdfast IS 'Tables of tenants; every one under forced row-level security.';


--
-- Name: holdfast_hot; Type: SCHEMA; Schema: -; Owner: holdfast_owner
--

CREATE SCHEMA holdfast_hot;


ALTER SCHEMA holdfast_hot OWNER TO holdfast_owner;

--
-- Name: SCHEMA holdfast_hot; Type: COMMENT; Schema: -; Owner: holdfast_owner
--

COMMENT ON SCHEMA holdfast_hot IS 'Definer functions for the responder, the only way it reads across tenants.';


--
-- Name: holdfast_ops; Type: SCHEMA; Schema: -; Owner: holdfast_owner
--

CREATE SCHEMA holdfast_ops;


ALTER SCHEMA holdfast_ops OWNER TO holdfast_owner;

--
-- Name: SCHEMA holdfast_ops; Type: COMMENT; Schema: -; Owner: holdfast_owner
--

COMMENT ON SCHEMA holdfast_ops IS 'Functions for migrations and operators: partitions.';


--
-- Name: holdfast_sec; Type: SCHEMA; Schema: -; Owner: holdfast_owner
--

CREATE SCHEMA holdfast_sec;


ALTER SCHEMA holdfast_sec OWNER TO holdfast_owner;

--
-- Name: SCHEMA holdfast_sec; Type: COMMENT; Schema: -; Owner: holdfast_owner
--

COMMENT ON SCHEMA holdfast_sec IS 'The tenant of a transaction, and the protection of tables.';


--
-- Name: snapshot_body(uuid, uuid, text, bigint); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint) RETURNS TABLE(body bytea, sha256 bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query
    select s.body, s.sha256
    from holdfast.snapshot s
    where s.tenant_id = tenant and s.app_id = app
      and s.environment = wanted_environment and s.number = wanted_number;
end $$;


ALTER FUNCTION holdfast_hot.snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint) OWNER TO holdfast_definer;

--
-- Name: snapshot_heads(); Type: FUNCTION; Schema: holdfast_hot; Owner: holdfast_definer
--

CREATE FUNCTION holdfast_hot.snapshot_heads() RETURNS TABLE(tenant_id uuid, app_id uuid, environment text, number bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  return query
    select e.tenant_id, e.app_id, e.environment, e.snapshot_number
    from holdfast.app_environment e
    where e.snapshot_number > 0;
end $$;


ALTER FUNCTION holdfast_hot.snapshot_heads() OWNER TO holdfast_definer;

--
-- Name: make_partitions(date, integer); Type: FUNCTION; Schema: holdfast_ops; Owner: holdfast_owner
--

CREATE FUNCTION holdfast_ops.make_partitions(first_day date, months integer) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  month timestamp;
  partition text;
begin
  for month in
    select generate_series(date_trunc('month', first_day::timestamp),
      date_trunc('month', first_day::timestamp) + make_interval(months => months), interval '1 month')
  loop
    partition := 'decision_' || to_char(month, 'YYYY_MM');
    continue when to_regclass('holdfast.' || partition) is not null;
    execute format(
      'create table holdfast.%I partition of holdfast.decision for values from (%L) to (%L)', partition,
      month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
    execute format('alter table holdfast.%I enable row level security', partition);
    execute format('alter table holdfast.%I force row level security', partition);
    return next partition;
  end loop;
end $$;


ALTER FUNCTION holdfast_ops.make_partitions(first_day date, months integer) OWNER TO holdfast_owner;

--
-- Name: protect(regclass); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_owner
--

CREATE FUNCTION holdfast_sec.protect(protected regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('create policy migration on %s to holdfast_owner using (true) with check (true)', protected);
  execute format(
    'create policy tenant on %s to holdfast_operator '
    'using (tenant_id = (select holdfast_sec.tenant())) '
    'with check (tenant_id = (select holdfast_sec.tenant()))', protected);
  execute format('grant select, insert, update, delete on %s to holdfast_operator', protected);
end $$;


ALTER FUNCTION holdfast_sec.protect(protected regclass) OWNER TO holdfast_owner;

--
-- Name: tenant(); Type: FUNCTION; Schema: holdfast_sec; Owner: holdfast_owner
--

CREATE FUNCTION holdfast_sec.tenant() RETURNS uuid
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  setting text := current_setting('holdfast.tenant_id', true);
begin
  if setting is null or setting = '' then
    raise exception 'no tenant is set for this transaction' using errcode = '42501';
  end if;
  return setting::uuid;
end $$;


ALTER FUNCTION holdfast_sec.tenant() OWNER TO holdfast_owner;



--
-- Name: app; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.app (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    client_id uuid NOT NULL,
    name text NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    app_apple_id bigint NOT NULL,
    default_locale text NOT NULL COLLATE pg_catalog."C",
    apple_id_salt bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT app_apple_id_positive CHECK ((app_apple_id > 0)),
    CONSTRAINT app_bundle_id_length CHECK (((length(bundle_id) >= 1) AND (length(bundle_id) <= 155))),
    CONSTRAINT app_default_locale_length CHECK (((length(default_locale) >= 2) AND (length(default_locale) <= 35))),
    CONSTRAINT app_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT app_salt_size CHECK ((length(apple_id_salt) = 32))
);

ALTER TABLE ONLY holdfast.app FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.app OWNER TO holdfast_owner;

--
-- Name: COLUMN app.apple_id_salt; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.app.apple_id_salt IS 'Part of every identifier we choose at Apple, so that no other tool or tenant of the same app chooses it too.';


--
-- Name: app_environment; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.app_environment (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    snapshot_number bigint DEFAULT 0 NOT NULL,
    CONSTRAINT app_environment_known CHECK ((environment = ANY (ARRAY['Production'::text, 'Sandbox'::text]))),
    CONSTRAINT app_environment_number_rises CHECK ((snapshot_number >= 0))
);

ALTER TABLE ONLY holdfast.app_environment FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.app_environment OWNER TO holdfast_owner;

--
-- Name: apple_object; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.apple_object (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    apple_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    state_at timestamp with time zone NOT NULL,
    CONSTRAINT apple_object_kind_known CHECK ((kind = ANY (ARRAY['image'::text, 'message'::text]))),
    CONSTRAINT apple_object_state_length CHECK (((length(state) >= 1) AND (length(state) <= 64)))
);

ALTER TABLE ONLY holdfast.apple_object FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.apple_object OWNER TO holdfast_owner;

--
-- Name: bullet; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.bullet (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    message_id uuid NOT NULL,
    locale text NOT NULL COLLATE pg_catalog."C",
    ordinal smallint NOT NULL,
    text text NOT NULL,
    image_id uuid NOT NULL,
    alt_text text NOT NULL,
    CONSTRAINT bullet_alt_text_limit CHECK ((length(alt_text) <= 150)),
    CONSTRAINT bullet_ordinal_limit CHECK (((ordinal >= 0) AND (ordinal <= 4))),
    CONSTRAINT bullet_text_limit CHECK (((length(text) >= 1) AND (length(text) <= 66)))
);

ALTER TABLE ONLY holdfast.bullet FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.bullet OWNER TO holdfast_owner;

--
-- Name: image_placement; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.image_placement (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    image_id uuid NOT NULL,
    apple_id uuid NOT NULL
);

ALTER TABLE ONLY holdfast.image_placement FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.image_placement OWNER TO holdfast_owner;

--
-- Name: localization; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.localization (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    message_id uuid NOT NULL,
    locale text NOT NULL COLLATE pg_catalog."C",
    header text NOT NULL,
    body text NOT NULL,
    header_position text COLLATE pg_catalog."C",
    image_id uuid,
    alt_text text,
    CONSTRAINT localization_above_image_needs_image CHECK (((header_position <> 'ABOVE_IMAGE'::text) OR (image_id IS NOT NULL))),
    CONSTRAINT localization_alt_text_limit CHECK ((length(alt_text) <= 150)),
    CONSTRAINT localization_alt_text_with_image CHECK (((image_id IS NULL) = (alt_text IS NULL))),
    CONSTRAINT localization_body_limit CHECK (((length(body) >= 1) AND (length(body) <= 144))),
    CONSTRAINT localization_header_limit CHECK (((length(header) >= 1) AND (length(header) <= 66))),
    CONSTRAINT localization_header_position_known CHECK ((header_position = ANY (ARRAY['ABOVE_BODY'::text, 'ABOVE_IMAGE'::text]))),
    CONSTRAINT localization_locale_length CHECK (((length(locale) >= 2) AND (length(locale) <= 35)))
);

ALTER TABLE ONLY holdfast.localization FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.localization OWNER TO holdfast_owner;

--
-- Name: message_placement; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.message_placement (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    message_id uuid NOT NULL,
    locale text NOT NULL COLLATE pg_catalog."C",
    apple_id uuid NOT NULL
);

ALTER TABLE ONLY holdfast.message_placement FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.message_placement OWNER TO holdfast_owner;

--
-- Name: approved_placement; Type: VIEW; Schema: holdfast; Owner: holdfast_owner
--

CREATE VIEW holdfast.approved_placement WITH (security_invoker='true') AS
 SELECT p.tenant_id,
    p.app_id,
    p.environment,
    p.message_id,
    p.locale,
    p.apple_id
   FROM (holdfast.message_placement p
     JOIN holdfast.apple_object o USING (tenant_id, app_id, environment, apple_id))
  WHERE ((o.state = 'APPROVED'::text) AND (NOT (EXISTS ( SELECT
           FROM ( SELECT l.image_id
                   FROM holdfast.localization l
                  WHERE ((l.tenant_id = p.tenant_id) AND (l.app_id = p.app_id) AND (l.message_id = p.message_id) AND (l.locale = p.locale) AND (l.image_id IS NOT NULL))
                UNION ALL
                 SELECT b.image_id
                   FROM holdfast.bullet b
                  WHERE ((b.tenant_id = p.tenant_id) AND (b.app_id = p.app_id) AND (b.message_id = p.message_id) AND (b.locale = p.locale))) shown
          WHERE (NOT (EXISTS ( SELECT
                   FROM (holdfast.image_placement i
                     JOIN holdfast.apple_object io USING (tenant_id, app_id, environment, apple_id))
                  WHERE ((i.tenant_id = p.tenant_id) AND (i.app_id = p.app_id) AND (i.environment = p.environment) AND (i.image_id = shown.image_id) AND (io.state = 'APPROVED'::text)))))))));


ALTER TABLE holdfast.approved_placement OWNER TO holdfast_owner;

--
-- Name: billing_plan; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.billing_plan (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    billing_plan_type text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT billing_plan_type_length CHECK (((length(billing_plan_type) >= 1) AND (length(billing_plan_type) <= 64)))
);

ALTER TABLE ONLY holdfast.billing_plan FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.billing_plan OWNER TO holdfast_owner;

--
-- Name: client; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.client (
    tenant_id uuid NOT NULL,
    client_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT client_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY holdfast.client FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.client OWNER TO holdfast_owner;

--
-- Name: credential; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.credential (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    credential_id uuid NOT NULL,
    key_id text NOT NULL COLLATE pg_catalog."C",
    issuer_id text NOT NULL COLLATE pg_catalog."C",
    public_key bytea NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone,
    CONSTRAINT credential_issuer_id_length CHECK (((length(issuer_id) >= 1) AND (length(issuer_id) <= 64))),
    CONSTRAINT credential_key_id_length CHECK (((length(key_id) >= 1) AND (length(key_id) <= 64))),
    CONSTRAINT credential_public_key_size CHECK (((length(public_key) >= 1) AND (length(public_key) <= 1024))),
    CONSTRAINT credential_sealed_size CHECK (((length(sealed) >= 1) AND (length(sealed) <= 4096)))
);

ALTER TABLE ONLY holdfast.credential FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.credential OWNER TO holdfast_owner;

--
-- Name: COLUMN credential.sealed; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.credential.sealed IS 'The In-App Purchase key, sealed to the platform''s public key and bound to this row. Opened by the responder only.';


--
-- Name: decision; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.decision (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    signed_date timestamp with time zone NOT NULL,
    request_identifier uuid NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    fallback_reason text COLLATE pg_catalog."C",
    rule_id uuid,
    locale_asked text NOT NULL COLLATE pg_catalog."C",
    locale_served text COLLATE pg_catalog."C",
    message_identifier uuid,
    alternate_product_id text COLLATE pg_catalog."C",
    billing_plan_type text COLLATE pg_catalog."C",
    offer_identifier text COLLATE pg_catalog."C",
    snapshot_number bigint NOT NULL,
    duration_microseconds bigint NOT NULL,
    CONSTRAINT decision_duration_positive CHECK ((duration_microseconds >= 0)),
    CONSTRAINT decision_environment_known CHECK ((environment = ANY (ARRAY['Production'::text, 'Sandbox'::text]))),
    CONSTRAINT decision_fallback_has_no_message CHECK (((kind = 'fallback'::text) = (message_identifier IS NULL))),
    CONSTRAINT decision_fallback_has_reason CHECK (((kind = 'fallback'::text) = (fallback_reason IS NOT NULL))),
    CONSTRAINT decision_kind_known CHECK ((kind = ANY (ARRAY['message'::text, 'switchPlan'::text, 'promotionalOffer'::text, 'defaultMessage'::text, 'fallback'::text])))
)
PARTITION BY RANGE (signed_date);

ALTER TABLE ONLY holdfast.decision FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.decision OWNER TO holdfast_owner;

--
-- Name: TABLE decision; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON TABLE holdfast.decision IS 'No foreign key to the app: a decision spooled before its app was deleted must not hold up those after it.';


--
-- Name: default_message; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.default_message (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    locale text NOT NULL COLLATE pg_catalog."C",
    message_id uuid NOT NULL
);

ALTER TABLE ONLY holdfast.default_message FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.default_message OWNER TO holdfast_owner;

--
-- Name: endpoint; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.endpoint (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    endpoint_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    token_sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone,
    CONSTRAINT endpoint_token_hash_size CHECK ((length(token_hash) = 32)),
    CONSTRAINT endpoint_token_sealed_size CHECK (((length(token_sealed) >= 1) AND (length(token_sealed) <= 1024)))
);

ALTER TABLE ONLY holdfast.endpoint FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.endpoint OWNER TO holdfast_owner;

--
-- Name: COLUMN endpoint.token_sealed; Type: COMMENT; Schema: holdfast; Owner: holdfast_owner
--

COMMENT ON COLUMN holdfast.endpoint.token_sealed IS 'The token itself, sealed to the platform''s public key, for the sync that tells Apple the URL.';


--
-- Name: image; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.image (
    tenant_id uuid NOT NULL,
    image_id uuid NOT NULL,
    image_size text NOT NULL COLLATE pg_catalog."C",
    sha256 bytea NOT NULL,
    png bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT image_bytes_limit CHECK (((length(png) >= 1) AND (length(png) <= 20971520))),
    CONSTRAINT image_digest_size CHECK ((length(sha256) = 32)),
    CONSTRAINT image_size_known CHECK ((image_size = ANY (ARRAY['FULL_SIZE'::text, 'BULLET_POINT'::text])))
);

ALTER TABLE ONLY holdfast.image FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.image OWNER TO holdfast_owner;

--
-- Name: message; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.message (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    message_id uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT message_kind_known CHECK ((kind = ANY (ARRAY['text'::text, 'switchPlan'::text, 'promotionalOffer'::text]))),
    CONSTRAINT message_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY holdfast.message FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.message OWNER TO holdfast_owner;

--
-- Name: offer; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.offer (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    offer_identifier text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT offer_identifier_length CHECK (((length(offer_identifier) >= 1) AND (length(offer_identifier) <= 255))),
    CONSTRAINT offer_kind_known CHECK ((kind = ANY (ARRAY['promotional'::text, 'retention'::text, 'winBack'::text])))
);

ALTER TABLE ONLY holdfast.offer FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.offer OWNER TO holdfast_owner;

--
-- Name: product; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.product (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    subscription_group text NOT NULL COLLATE pg_catalog."C",
    period text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT product_group_length CHECK (((length(subscription_group) >= 1) AND (length(subscription_group) <= 255))),
    CONSTRAINT product_id_length CHECK (((length(product_id) >= 1) AND (length(product_id) <= 255))),
    CONSTRAINT product_period_known CHECK ((period ~ '^P([1-9][0-9]?[DWMY])$'::text))
);

ALTER TABLE ONLY holdfast.product FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.product OWNER TO holdfast_owner;

--
-- Name: rule_set; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.rule_set (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    version integer NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT rule_set_is_object CHECK ((jsonb_typeof(body) = 'object'::text)),
    CONSTRAINT rule_set_version_positive CHECK ((version > 0))
);

ALTER TABLE ONLY holdfast.rule_set FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.rule_set OWNER TO holdfast_owner;

--
-- Name: rule_set_publication; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.rule_set_publication (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    published_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY holdfast.rule_set_publication FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.rule_set_publication OWNER TO holdfast_owner;

--
-- Name: snapshot; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.snapshot (
    tenant_id uuid NOT NULL,
    app_id uuid NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    body bytea NOT NULL,
    sha256 bytea NOT NULL,
    built_at timestamp with time zone NOT NULL,
    CONSTRAINT snapshot_body_limit CHECK (((length(body) >= 1) AND (length(body) <= 8388608))),
    CONSTRAINT snapshot_digest_size CHECK ((length(sha256) = 32)),
    CONSTRAINT snapshot_number_positive CHECK ((number > 0))
);

ALTER TABLE ONLY holdfast.snapshot FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.snapshot OWNER TO holdfast_owner;

--
-- Name: tenant; Type: TABLE; Schema: holdfast; Owner: holdfast_owner
--

CREATE TABLE holdfast.tenant (
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT tenant_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

ALTER TABLE ONLY holdfast.tenant FORCE ROW LEVEL SECURITY;


ALTER TABLE holdfast.tenant OWNER TO holdfast_owner;

--
-- Name: holdfast_migration; Type: TABLE; Schema: public; Owner: holdfast_migrator
--

CREATE TABLE public.holdfast_migration (
    name text NOT NULL COLLATE pg_catalog."C",
    checksum bytea NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT holdfast_migration_checksum_check CHECK ((length(checksum) = 32))
);


ALTER TABLE public.holdfast_migration OWNER TO holdfast_migrator;

--
-- Name: app app_apple_id_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app
    ADD CONSTRAINT app_apple_id_unique UNIQUE (tenant_id, app_apple_id);


--
-- Name: app app_bundle_id_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app
    ADD CONSTRAINT app_bundle_id_unique UNIQUE (tenant_id, bundle_id);


--
-- Name: app_environment app_environment_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app_environment
    ADD CONSTRAINT app_environment_pkey PRIMARY KEY (tenant_id, app_id, environment);


--
-- Name: app app_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app
    ADD CONSTRAINT app_pkey PRIMARY KEY (tenant_id, app_id);


--
-- Name: apple_object apple_object_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.apple_object
    ADD CONSTRAINT apple_object_pkey PRIMARY KEY (tenant_id, app_id, environment, apple_id);


--
-- Name: billing_plan billing_plan_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.billing_plan
    ADD CONSTRAINT billing_plan_pkey PRIMARY KEY (tenant_id, app_id, product_id, billing_plan_type);


--
-- Name: bullet bullet_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.bullet
    ADD CONSTRAINT bullet_pkey PRIMARY KEY (tenant_id, app_id, message_id, locale, ordinal);


--
-- Name: client client_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.client
    ADD CONSTRAINT client_pkey PRIMARY KEY (tenant_id, client_id);


--
-- Name: credential credential_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.credential
    ADD CONSTRAINT credential_pkey PRIMARY KEY (tenant_id, app_id, credential_id);


--
-- Name: decision decision_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (tenant_id, app_id, environment, signed_date, request_identifier);


--
-- Name: default_message default_message_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.default_message
    ADD CONSTRAINT default_message_pkey PRIMARY KEY (tenant_id, app_id, environment, product_id, locale);


--
-- Name: endpoint endpoint_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.endpoint
    ADD CONSTRAINT endpoint_pkey PRIMARY KEY (tenant_id, app_id, environment, endpoint_id);


--
-- Name: endpoint endpoint_token_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.endpoint
    ADD CONSTRAINT endpoint_token_unique UNIQUE (tenant_id, token_hash);


--
-- Name: image image_content_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image
    ADD CONSTRAINT image_content_unique UNIQUE (tenant_id, sha256, image_size);


--
-- Name: image image_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image
    ADD CONSTRAINT image_pkey PRIMARY KEY (tenant_id, image_id);


--
-- Name: image_placement image_placement_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image_placement
    ADD CONSTRAINT image_placement_pkey PRIMARY KEY (tenant_id, app_id, environment, image_id);


--
-- Name: localization localization_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.localization
    ADD CONSTRAINT localization_pkey PRIMARY KEY (tenant_id, app_id, message_id, locale);


--
-- Name: message message_name_unique; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message
    ADD CONSTRAINT message_name_unique UNIQUE (tenant_id, app_id, name);


--
-- Name: message message_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (tenant_id, app_id, message_id);


--
-- Name: message_placement message_placement_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message_placement
    ADD CONSTRAINT message_placement_pkey PRIMARY KEY (tenant_id, app_id, environment, message_id, locale);


--
-- Name: offer offer_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.offer
    ADD CONSTRAINT offer_pkey PRIMARY KEY (tenant_id, app_id, product_id, offer_identifier);


--
-- Name: product product_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.product
    ADD CONSTRAINT product_pkey PRIMARY KEY (tenant_id, app_id, product_id);


--
-- Name: rule_set rule_set_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set
    ADD CONSTRAINT rule_set_pkey PRIMARY KEY (tenant_id, app_id, version);


--
-- Name: rule_set_publication rule_set_publication_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set_publication
    ADD CONSTRAINT rule_set_publication_pkey PRIMARY KEY (tenant_id, app_id, environment);


--
-- Name: snapshot snapshot_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.snapshot
    ADD CONSTRAINT snapshot_pkey PRIMARY KEY (tenant_id, app_id, environment, number);


--
-- Name: tenant tenant_pkey; Type: CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.tenant
    ADD CONSTRAINT tenant_pkey PRIMARY KEY (tenant_id);


--
-- Name: holdfast_migration holdfast_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: holdfast_migrator
--

ALTER TABLE ONLY public.holdfast_migration
    ADD CONSTRAINT holdfast_migration_pkey PRIMARY KEY (name);


--
-- Name: credential_one_live; Type: INDEX; Schema: holdfast; Owner: holdfast_owner
--

CREATE UNIQUE INDEX credential_one_live ON holdfast.credential USING btree (tenant_id, app_id) WHERE (retired_at IS NULL);


--
-- Name: app app_client_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app
    ADD CONSTRAINT app_client_exists FOREIGN KEY (tenant_id, client_id) REFERENCES holdfast.client(tenant_id, client_id);


--
-- Name: app_environment app_environment_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.app_environment
    ADD CONSTRAINT app_environment_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: apple_object apple_object_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.apple_object
    ADD CONSTRAINT apple_object_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: billing_plan billing_plan_product_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.billing_plan
    ADD CONSTRAINT billing_plan_product_exists FOREIGN KEY (tenant_id, app_id, product_id) REFERENCES holdfast.product(tenant_id, app_id, product_id) ON DELETE CASCADE;


--
-- Name: bullet bullet_image_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.bullet
    ADD CONSTRAINT bullet_image_exists FOREIGN KEY (tenant_id, image_id) REFERENCES holdfast.image(tenant_id, image_id);


--
-- Name: bullet bullet_localization_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.bullet
    ADD CONSTRAINT bullet_localization_exists FOREIGN KEY (tenant_id, app_id, message_id, locale) REFERENCES holdfast.localization(tenant_id, app_id, message_id, locale) ON DELETE CASCADE;


--
-- Name: client client_tenant_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.client
    ADD CONSTRAINT client_tenant_exists FOREIGN KEY (tenant_id) REFERENCES holdfast.tenant(tenant_id);


--
-- Name: credential credential_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.credential
    ADD CONSTRAINT credential_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: default_message default_message_placed; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.default_message
    ADD CONSTRAINT default_message_placed FOREIGN KEY (tenant_id, app_id, environment, message_id, locale) REFERENCES holdfast.message_placement(tenant_id, app_id, environment, message_id, locale);


--
-- Name: default_message default_message_product_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.default_message
    ADD CONSTRAINT default_message_product_exists FOREIGN KEY (tenant_id, app_id, product_id) REFERENCES holdfast.product(tenant_id, app_id, product_id) ON DELETE CASCADE;


--
-- Name: endpoint endpoint_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.endpoint
    ADD CONSTRAINT endpoint_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: image_placement image_placement_image_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image_placement
    ADD CONSTRAINT image_placement_image_exists FOREIGN KEY (tenant_id, image_id) REFERENCES holdfast.image(tenant_id, image_id);


--
-- Name: image_placement image_placement_object_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.image_placement
    ADD CONSTRAINT image_placement_object_exists FOREIGN KEY (tenant_id, app_id, environment, apple_id) REFERENCES holdfast.apple_object(tenant_id, app_id, environment, apple_id) ON DELETE CASCADE;


--
-- Name: localization localization_image_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.localization
    ADD CONSTRAINT localization_image_exists FOREIGN KEY (tenant_id, image_id) REFERENCES holdfast.image(tenant_id, image_id);


--
-- Name: localization localization_message_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.localization
    ADD CONSTRAINT localization_message_exists FOREIGN KEY (tenant_id, app_id, message_id) REFERENCES holdfast.message(tenant_id, app_id, message_id) ON DELETE CASCADE;


--
-- Name: message message_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message
    ADD CONSTRAINT message_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: message_placement message_placement_localization_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message_placement
    ADD CONSTRAINT message_placement_localization_exists FOREIGN KEY (tenant_id, app_id, message_id, locale) REFERENCES holdfast.localization(tenant_id, app_id, message_id, locale) ON DELETE CASCADE;


--
-- Name: message_placement message_placement_object_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.message_placement
    ADD CONSTRAINT message_placement_object_exists FOREIGN KEY (tenant_id, app_id, environment, apple_id) REFERENCES holdfast.apple_object(tenant_id, app_id, environment, apple_id) ON DELETE CASCADE;


--
-- Name: offer offer_product_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.offer
    ADD CONSTRAINT offer_product_exists FOREIGN KEY (tenant_id, app_id, product_id) REFERENCES holdfast.product(tenant_id, app_id, product_id) ON DELETE CASCADE;


--
-- Name: product product_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.product
    ADD CONSTRAINT product_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: rule_set rule_set_app_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set
    ADD CONSTRAINT rule_set_app_exists FOREIGN KEY (tenant_id, app_id) REFERENCES holdfast.app(tenant_id, app_id) ON DELETE CASCADE;


--
-- Name: rule_set_publication rule_set_publication_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set_publication
    ADD CONSTRAINT rule_set_publication_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: rule_set_publication rule_set_publication_version_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.rule_set_publication
    ADD CONSTRAINT rule_set_publication_version_exists FOREIGN KEY (tenant_id, app_id, version) REFERENCES holdfast.rule_set(tenant_id, app_id, version);


--
-- Name: snapshot snapshot_environment_exists; Type: FK CONSTRAINT; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE ONLY holdfast.snapshot
    ADD CONSTRAINT snapshot_environment_exists FOREIGN KEY (tenant_id, app_id, environment) REFERENCES holdfast.app_environment(tenant_id, app_id, environment) ON DELETE CASCADE;


--
-- Name: app; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.app ENABLE ROW LEVEL SECURITY;

--
-- Name: app_environment; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.app_environment ENABLE ROW LEVEL SECURITY;

--
-- Name: apple_object; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.apple_object ENABLE ROW LEVEL SECURITY;

--
-- Name: billing_plan; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.billing_plan ENABLE ROW LEVEL SECURITY;

--
-- Name: bullet; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.bullet ENABLE ROW LEVEL SECURITY;

--
-- Name: client; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.client ENABLE ROW LEVEL SECURITY;

--
-- Name: credential; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.credential ENABLE ROW LEVEL SECURITY;

--
-- Name: decision; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.decision ENABLE ROW LEVEL SECURITY;

--
-- Name: default_message; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.default_message ENABLE ROW LEVEL SECURITY;

--
-- Name: endpoint; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.endpoint ENABLE ROW LEVEL SECURITY;

--
-- Name: app_environment feed; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY feed ON holdfast.app_environment FOR SELECT TO holdfast_definer USING (true);


--
-- Name: snapshot feed; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY feed ON holdfast.snapshot FOR SELECT TO holdfast_definer USING (true);


--
-- Name: image; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.image ENABLE ROW LEVEL SECURITY;

--
-- Name: image_placement; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.image_placement ENABLE ROW LEVEL SECURITY;

--
-- Name: localization; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.localization ENABLE ROW LEVEL SECURITY;

--
-- Name: message; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.message ENABLE ROW LEVEL SECURITY;

--
-- Name: message_placement; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.message_placement ENABLE ROW LEVEL SECURITY;

--
-- Name: app migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.app TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: app_environment migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.app_environment TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: apple_object migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.apple_object TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: billing_plan migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.billing_plan TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: bullet migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.bullet TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: client migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.client TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: credential migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.credential TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: decision migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.decision TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: default_message migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.default_message TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: endpoint migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.endpoint TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: image migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.image TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: image_placement migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.image_placement TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: localization migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.localization TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: message migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.message TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: message_placement migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.message_placement TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: offer migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.offer TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: product migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.product TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: rule_set migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.rule_set TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: rule_set_publication migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.rule_set_publication TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: snapshot migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.snapshot TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: tenant migration; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY migration ON holdfast.tenant TO holdfast_owner USING (true) WITH CHECK (true);


--
-- Name: offer; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.offer ENABLE ROW LEVEL SECURITY;

--
-- Name: product; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.product ENABLE ROW LEVEL SECURITY;

--
-- Name: rule_set; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.rule_set ENABLE ROW LEVEL SECURITY;

--
-- Name: rule_set_publication; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.rule_set_publication ENABLE ROW LEVEL SECURITY;

--
-- Name: snapshot; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.snapshot ENABLE ROW LEVEL SECURITY;

--
-- Name: app tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.app TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: app_environment tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.app_environment TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: apple_object tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.apple_object TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: billing_plan tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.billing_plan TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: bullet tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.bullet TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: client tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.client TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: credential tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.credential TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: decision tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.decision TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: default_message tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.default_message TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: endpoint tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.endpoint TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: image tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.image TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: image_placement tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.image_placement TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: localization tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.localization TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: message tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.message TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: message_placement tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.message_placement TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: offer tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.offer TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: product tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.product TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: rule_set tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.rule_set TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: rule_set_publication tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.rule_set_publication TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: snapshot tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.snapshot TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: tenant; Type: ROW SECURITY; Schema: holdfast; Owner: holdfast_owner
--

ALTER TABLE holdfast.tenant ENABLE ROW LEVEL SECURITY;

--
-- Name: tenant tenant; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant ON holdfast.tenant TO holdfast_operator USING ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant))) WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: decision tenant_insert; Type: POLICY; Schema: holdfast; Owner: holdfast_owner
--

CREATE POLICY tenant_insert ON holdfast.decision FOR INSERT TO holdfast_responder WITH CHECK ((tenant_id = ( SELECT holdfast_sec.tenant() AS tenant)));


--
-- Name: SCHEMA holdfast; Type: ACL; Schema: -; Owner: holdfast_owner
--

GRANT USAGE ON SCHEMA holdfast TO holdfast_operator;
GRANT USAGE ON SCHEMA holdfast TO holdfast_responder;
GRANT USAGE ON SCHEMA holdfast TO holdfast_definer;


--
-- Name: SCHEMA holdfast_hot; Type: ACL; Schema: -; Owner: holdfast_owner
--

GRANT USAGE ON SCHEMA holdfast_hot TO holdfast_responder;
GRANT ALL ON SCHEMA holdfast_hot TO holdfast_definer;


--
-- Name: SCHEMA holdfast_ops; Type: ACL; Schema: -; Owner: holdfast_owner
--

GRANT USAGE ON SCHEMA holdfast_ops TO holdfast_migrator;


--
-- Name: SCHEMA holdfast_sec; Type: ACL; Schema: -; Owner: holdfast_owner
--

GRANT USAGE ON SCHEMA holdfast_sec TO holdfast_operator;
GRANT USAGE ON SCHEMA holdfast_sec TO holdfast_responder;
GRANT USAGE ON SCHEMA holdfast_sec TO holdfast_definer;


--
-- Name: FUNCTION snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.snapshot_body(tenant uuid, app uuid, wanted_environment text, wanted_number bigint) TO holdfast_responder;


--
-- Name: FUNCTION snapshot_heads(); Type: ACL; Schema: holdfast_hot; Owner: holdfast_definer
--

REVOKE ALL ON FUNCTION holdfast_hot.snapshot_heads() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_hot.snapshot_heads() TO holdfast_responder;


--
-- Name: FUNCTION make_partitions(first_day date, months integer); Type: ACL; Schema: holdfast_ops; Owner: holdfast_owner
--

REVOKE ALL ON FUNCTION holdfast_ops.make_partitions(first_day date, months integer) FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_ops.make_partitions(first_day date, months integer) TO holdfast_migrator;


--
-- Name: FUNCTION protect(protected regclass); Type: ACL; Schema: holdfast_sec; Owner: holdfast_owner
--

REVOKE ALL ON FUNCTION holdfast_sec.protect(protected regclass) FROM PUBLIC;


--
-- Name: FUNCTION tenant(); Type: ACL; Schema: holdfast_sec; Owner: holdfast_owner
--

REVOKE ALL ON FUNCTION holdfast_sec.tenant() FROM PUBLIC;
GRANT ALL ON FUNCTION holdfast_sec.tenant() TO holdfast_operator;
GRANT ALL ON FUNCTION holdfast_sec.tenant() TO holdfast_responder;


--
-- Name: TABLE app; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.app TO holdfast_operator;


--
-- Name: TABLE app_environment; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.app_environment TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.app_environment TO holdfast_definer;


--
-- Name: TABLE apple_object; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.apple_object TO holdfast_operator;


--
-- Name: TABLE bullet; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.bullet TO holdfast_operator;


--
-- Name: TABLE image_placement; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.image_placement TO holdfast_operator;


--
-- Name: TABLE localization; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.localization TO holdfast_operator;


--
-- Name: TABLE message_placement; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.message_placement TO holdfast_operator;


--
-- Name: TABLE approved_placement; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT ON TABLE holdfast.approved_placement TO holdfast_operator;


--
-- Name: TABLE billing_plan; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.billing_plan TO holdfast_operator;


--
-- Name: TABLE client; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.client TO holdfast_operator;


--
-- Name: TABLE credential; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.credential TO holdfast_operator;


--
-- Name: TABLE decision; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.decision TO holdfast_operator;
GRANT INSERT ON TABLE holdfast.decision TO holdfast_responder;


--
-- Name: TABLE default_message; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.default_message TO holdfast_operator;


--
-- Name: TABLE endpoint; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.endpoint TO holdfast_operator;


--
-- Name: TABLE image; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.image TO holdfast_operator;


--
-- Name: TABLE message; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.message TO holdfast_operator;


--
-- Name: TABLE offer; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.offer TO holdfast_operator;


--
-- Name: TABLE product; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.product TO holdfast_operator;


--
-- Name: TABLE rule_set; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.rule_set TO holdfast_operator;


--
-- Name: TABLE rule_set_publication; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.rule_set_publication TO holdfast_operator;


--
-- Name: TABLE snapshot; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.snapshot TO holdfast_operator;
GRANT SELECT ON TABLE holdfast.snapshot TO holdfast_definer;


--
-- Name: TABLE tenant; Type: ACL; Schema: holdfast; Owner: holdfast_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holdfast.tenant TO holdfast_operator;


--
-- Name: TABLE holdfast_migration; Type: ACL; Schema: public; Owner: holdfast_migrator
--

GRANT SELECT ON TABLE public.holdfast_migration TO PUBLIC;


--
-- Name: DEFAULT PRIVILEGES FOR FUNCTIONS; Type: DEFAULT ACL; Schema: -; Owner: holdfast_owner
--

ALTER DEFAULT PRIVILEGES FOR ROLE holdfast_owner REVOKE ALL ON FUNCTIONS  FROM PUBLIC;


--
-- PostgreSQL database dump complete
--


