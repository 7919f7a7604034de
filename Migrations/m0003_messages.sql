-- What is said: images, messages with a localization per locale, and what became of them at Apple.
set local role holdfast_owner;

create table holdfast.image (
  tenant_id uuid not null,
  image_id uuid not null,
  image_size text collate "C" not null,
  sha256 bytea not null,
  png bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, image_id),
  constraint image_content_unique unique (tenant_id, sha256, image_size),
  constraint image_size_known check (image_size in ('FULL_SIZE', 'BULLET_POINT')),
  constraint image_digest_size check (length(sha256) = 32),
  constraint image_bytes_limit check (length(png) between 1 and 20971520)
);
select holdfast_sec.protect('holdfast.image');

create table holdfast.message (
  tenant_id uuid not null,
  app_id uuid not null,
  message_id uuid not null,
  name text not null,
  kind text collate "C" not null,
  created_at timestamptz not null,
  primary key (tenant_id, app_id, message_id),
  constraint message_name_unique unique (tenant_id, app_id, name),
  constraint message_app_exists foreign key (tenant_id, app_id) references holdfast.app on delete cascade,
  constraint message_name_length check (length(name) between 1 and 200),
  constraint message_kind_known check (kind in ('text', 'switchPlan', 'promotionalOffer'))
);
select holdfast_sec.protect('holdfast.message');

-- Apple counts to 66, 144 and 150 in a unit it does not name. Code points are counted here, the stricter
-- UTF-16 units before the statement: length() of a text cannot count those.
create table holdfast.localization (
  tenant_id uuid not null,
  app_id uuid not null,
  message_id uuid not null,
  locale text collate "C" not null,
  header text not null,
  body text not null,
  header_position text collate "C",
  image_id uuid,
  alt_text text,
  primary key (tenant_id, app_id, message_id, locale),
  constraint localization_message_exists foreign key (tenant_id, app_id, message_id)
    references holdfast.message on delete cascade,
  constraint localization_image_exists foreign key (tenant_id, image_id) references holdfast.image,
  constraint localization_locale_length check (length(locale) between 2 and 35),
  constraint localization_header_limit check (length(header) between 1 and 66),
  constraint localization_body_limit check (length(body) between 1 and 144),
  constraint localization_header_position_known check (header_position in ('ABOVE_BODY', 'ABOVE_IMAGE')),
  constraint localization_above_image_needs_image check (header_position <> 'ABOVE_IMAGE' or image_id is not null),
  constraint localization_alt_text_limit check (length(alt_text) <= 150),
  constraint localization_alt_text_with_image check ((image_id is null) = (alt_text is null))
);
select holdfast_sec.protect('holdfast.localization');

create table holdfast.bullet (
  tenant_id uuid not null,
  app_id uuid not null,
  message_id uuid not null,
  locale text collate "C" not null,
  ordinal smallint not null,
  text text not null,
  image_id uuid not null,
  alt_text text not null,
  primary key (tenant_id, app_id, message_id, locale, ordinal),
  constraint bullet_localization_exists foreign key (tenant_id, app_id, message_id, locale)
    references holdfast.localization on delete cascade,
  constraint bullet_image_exists foreign key (tenant_id, image_id) references holdfast.image,
  constraint bullet_ordinal_limit check (ordinal between 0 and 4),
  constraint bullet_text_limit check (length(text) between 1 and 66),
  constraint bullet_alt_text_limit check (length(alt_text) <= 150)
);
select holdfast_sec.protect('holdfast.bullet');

-- What exists at Apple, by the identifier we derived. Equal content is one object there, whichever
-- localizations use it. `state` is Apple's word, open.
create table holdfast.apple_object (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  apple_id uuid not null,
  kind text collate "C" not null,
  state text collate "C" not null,
  state_at timestamptz not null,
  primary key (tenant_id, app_id, environment, apple_id),
  constraint apple_object_environment_exists foreign key (tenant_id, app_id, environment)
    references holdfast.app_environment on delete cascade,
  constraint apple_object_kind_known check (kind in ('image', 'message')),
  constraint apple_object_state_length check (length(state) between 1 and 64)
);
select holdfast_sec.protect('holdfast.apple_object');

create table holdfast.image_placement (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  image_id uuid not null,
  apple_id uuid not null,
  primary key (tenant_id, app_id, environment, image_id),
  constraint image_placement_image_exists foreign key (tenant_id, image_id) references holdfast.image,
  constraint image_placement_object_exists foreign key (tenant_id, app_id, environment, apple_id)
    references holdfast.apple_object on delete cascade
);
select holdfast_sec.protect('holdfast.image_placement');

create table holdfast.message_placement (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  message_id uuid not null,
  locale text collate "C" not null,
  apple_id uuid not null,
  primary key (tenant_id, app_id, environment, message_id, locale),
  constraint message_placement_localization_exists foreign key (tenant_id, app_id, message_id, locale)
    references holdfast.localization on delete cascade,
  constraint message_placement_object_exists foreign key (tenant_id, app_id, environment, apple_id)
    references holdfast.apple_object on delete cascade
);
select holdfast_sec.protect('holdfast.message_placement');

-- The texts that may be shown: Apple approved them and every image they show. All else is not to be named.
create view holdfast.approved_placement with (security_invoker = true) as
select p.tenant_id, p.app_id, p.environment, p.message_id, p.locale, p.apple_id
from holdfast.message_placement p
join holdfast.apple_object o using (tenant_id, app_id, environment, apple_id)
where o.state = 'APPROVED'
  and not exists (
    select from (
      select l.image_id from holdfast.localization l
      where l.tenant_id = p.tenant_id and l.app_id = p.app_id and l.message_id = p.message_id
        and l.locale = p.locale and l.image_id is not null
      union all
      select b.image_id from holdfast.bullet b
      where b.tenant_id = p.tenant_id and b.app_id = p.app_id and b.message_id = p.message_id
        and b.locale = p.locale
    ) shown
    where not exists (
      select from holdfast.image_placement i
      join holdfast.apple_object io using (tenant_id, app_id, environment, apple_id)
      where i.tenant_id = p.tenant_id and i.app_id = p.app_id and i.environment = p.environment
        and i.image_id = shown.image_id and io.state = 'APPROVED'
    )
  );
grant select on holdfast.approved_placement to holdfast_operator;

create table holdfast.default_message (
  tenant_id uuid not null,
  app_id uuid not null,
  environment text collate "C" not null,
  product_id text collate "C" not null,
  locale text collate "C" not null,
  message_id uuid not null,
  primary key (tenant_id, app_id, environment, product_id, locale),
  constraint default_message_product_exists foreign key (tenant_id, app_id, product_id)
    references holdfast.product on delete cascade,
  constraint default_message_placed foreign key (tenant_id, app_id, environment, message_id, locale)
    references holdfast.message_placement
);
select holdfast_sec.protect('holdfast.default_message');

reset role;
