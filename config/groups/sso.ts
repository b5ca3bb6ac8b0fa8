/** Groups SSO: LDAP / directory, SSO: OIDC and SSO: SAML. */
import { z } from 'zod'
import { bool, json, pattern, text, unused, url } from '../setting.ts'

const RoleMappings = z.record(z.string(), z.string())
const mappings = 'an object of strings'

export const ldap = unused({
  SERVICE_LDAP_ENABLED: bool(false, {
    apply: 'restart',
    help: { en: 'Admin logins fall back to the directory.', ru: 'Вход операторов проверяется и по каталогу.' },
  }),
  SERVICE_LDAP_URL: url({ apply: 'restart', help: { en: 'Address of the directory.', ru: 'Адрес каталога.' } }, [
    'ldap:',
    'ldaps:',
  ]),
  SERVICE_LDAP_BASE_DN: text(
    '',
    { apply: 'restart', help: { en: 'Where searches start.', ru: 'Где начинается поиск.' } },
    1_000,
  ),
  SERVICE_LDAP_BIND_DN: text(
    '',
    {
      apply: 'restart',
      help: {
        en: 'Service account of the first search; blank: anonymous.',
        ru: 'Служебная запись первого поиска; пусто: анонимно.',
      },
    },
    1_000,
  ),
  SERVICE_LDAP_USER_FILTER: pattern(/^(?=.*%s).{2,1000}$/, 'a filter of at most 1000 characters with %s in it', {
    apply: 'restart',
    help: { en: 'Search filter; %s stands for the login.', ru: 'Фильтр поиска; %s заменяется логином.' },
  }),
  SERVICE_LDAP_USER_ATTR: text(
    'sAMAccountName',
    { apply: 'restart', help: { en: 'Attribute that holds the login.', ru: 'Атрибут с логином.' } },
    256,
  ),
  SERVICE_LDAP_GROUP_ATTR: text(
    'memberOf',
    {
      apply: 'restart',
      help: {
        en: 'Attribute that lists groups; blank: no roles by group.',
        ru: 'Атрибут со списком групп; пусто: роли по группам не выдаются.',
      },
    },
    256,
  ),
  SERVICE_LDAP_ROLE_MAPPINGS: json(RoleMappings, {}, mappings, {
    apply: 'restart',
    help: { en: 'Group DN or CN to role.', ru: 'Соответствие группы (DN или CN) и роли.' },
  }),
  SERVICE_LDAP_DEFAULT_ROLE: text(
    '',
    {
      apply: 'restart',
      help: {
        en: 'Role where no group matches; blank: none.',
        ru: 'Роль, если ни одна группа не подошла; пусто: никакой.',
      },
    },
    64,
  ),
  SERVICE_LDAP_SKIP_TLS_VERIFY: bool(false, {
    apply: 'restart',
    help: {
      en: 'Do not verify the directory’s certificate. Never in production.',
      ru: 'Не проверять сертификат каталога. Никогда не включайте в работе.',
    },
  }),
})

export const oidc = unused({
  SERVICE_OIDC_ISSUER: url({
    apply: 'restart',
    help: { en: 'Issuer; setting it accepts its tokens.', ru: 'Издатель; если задан, его токены принимаются.' },
  }),
  SERVICE_OIDC_JWKS_URL: url({
    apply: 'restart',
    help: { en: 'Where the issuer’s keys are.', ru: 'Где лежат ключи издателя.' },
  }),
  SERVICE_OIDC_AUDIENCE: text(
    '',
    {
      apply: 'restart',
      help: {
        en: 'What a token’s aud must contain; aud itself is always required.',
        ru: 'Что должно быть в aud токена; само aud обязательно всегда.',
      },
    },
    1_000,
  ),
  SERVICE_OIDC_TENANT_CLAIM: text(
    '',
    { apply: 'restart', help: { en: 'Claim that holds the workspace.', ru: 'Поле токена с рабочим пространством.' } },
    256,
  ),
})

export const saml = unused({
  SERVICE_SAML_ENABLED: bool(false, {
    apply: 'restart',
    help: {
      en: 'Open /saml/metadata, /saml/acs and /saml/login.',
      ru: 'Открыть /saml/metadata, /saml/acs и /saml/login.',
    },
  }),
  SERVICE_SAML_ENTITY_ID: text(
    '',
    {
      apply: 'restart',
      help: {
        en: 'Entity id of the service; blank: root URL and /saml/metadata.',
        ru: 'Наш идентификатор; пусто: корневой адрес и /saml/metadata.',
      },
    },
    1_000,
  ),
  SERVICE_SAML_ROOT_URL: url({
    apply: 'restart',
    help: { en: 'The address at which browsers reach the service.', ru: 'Адрес, по которому нас видят браузеры.' },
  }),
  SERVICE_SAML_IDP_METADATA: text(
    '',
    {
      apply: 'restart',
      help: { en: 'The identity provider’s metadata, as XML.', ru: 'Метаданные поставщика удостоверений, XML.' },
    },
    1_000_000,
  ),
  SERVICE_SAML_SP_CERT: text(
    '',
    {
      apply: 'restart',
      help: { en: 'Public signing certificate of the service, as PEM.', ru: 'Наш открытый сертификат подписи, PEM.' },
    },
    100_000,
  ),
  SERVICE_SAML_ROLE_ATTRIBUTE: text(
    'groups',
    { apply: 'restart', help: { en: 'Attribute that carries groups or roles.', ru: 'Атрибут с группами или ролями.' } },
    256,
  ),
  SERVICE_SAML_ROLE_MAPPINGS: json(RoleMappings, {}, mappings, {
    apply: 'restart',
    help: { en: 'Asserted value to role.', ru: 'Соответствие значения и роли.' },
  }),
  SERVICE_SAML_DEFAULT_ROLE: text(
    '',
    {
      apply: 'restart',
      help: {
        en: 'Role where no value matches; blank: none.',
        ru: 'Роль, если ни одно значение не подошло; пусто: никакой.',
      },
    },
    64,
  ),
})
