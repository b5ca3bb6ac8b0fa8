/** Groups SSO: LDAP / directory, SSO: OIDC and SSO: SAML. */
import { z } from 'zod'
import { bool, json, pattern, text, url } from '../setting.ts'

const RoleMappings = z.record(z.string(), z.string())
const mappings = 'an object of strings'

export const ldap = {
  SERVICE_LDAP_ENABLED: bool(false, { apply: 'restart', help: 'Admin logins fall back to the directory.' }),
  SERVICE_LDAP_URL: url({ apply: 'restart', help: 'Address of the directory.' }, ['ldap:', 'ldaps:']),
  SERVICE_LDAP_BASE_DN: text('', { apply: 'restart', help: 'Where searches start.' }, 1_000),
  SERVICE_LDAP_BIND_DN: text(
    '',
    { apply: 'restart', help: 'Service account of the first search; blank: anonymous.' },
    1_000,
  ),
  SERVICE_LDAP_USER_FILTER: pattern(/^(?=.*%s).{2,1000}$/, 'a filter of at most 1000 characters with %s in it', {
    apply: 'restart',
    help: 'Search filter; %s stands for the login.',
  }),
  SERVICE_LDAP_USER_ATTR: text('sAMAccountName', { apply: 'restart', help: 'Attribute that holds the login.' }, 256),
  SERVICE_LDAP_GROUP_ATTR: text(
    'memberOf',
    { apply: 'restart', help: 'Attribute that lists groups; blank: no roles by group.' },
    256,
  ),
  SERVICE_LDAP_ROLE_MAPPINGS: json(RoleMappings, {}, mappings, { apply: 'restart', help: 'Group DN or CN to role.' }),
  SERVICE_LDAP_DEFAULT_ROLE: text('', { apply: 'restart', help: 'Role where no group matches; blank: none.' }, 64),
  SERVICE_LDAP_SKIP_TLS_VERIFY: bool(false, {
    apply: 'restart',
    help: 'Do not verify the directory’s certificate. Never in production.',
  }),
}

export const oidc = {
  SERVICE_OIDC_ISSUER: url({ apply: 'restart', help: 'Issuer; setting it accepts its tokens.' }),
  SERVICE_OIDC_JWKS_URL: url({ apply: 'restart', help: 'Where the issuer’s keys are.' }),
  SERVICE_OIDC_AUDIENCE: text(
    '',
    { apply: 'restart', help: 'What a token’s aud must contain; aud itself is always required.' },
    1_000,
  ),
  SERVICE_OIDC_TENANT_CLAIM: text('', { apply: 'restart', help: 'Claim that holds the workspace.' }, 256),
}

export const saml = {
  SERVICE_SAML_ENABLED: bool(false, { apply: 'restart', help: 'Open /saml/metadata, /saml/acs and /saml/login.' }),
  SERVICE_SAML_ENTITY_ID: text(
    '',
    { apply: 'restart', help: 'Our entity id; blank: root URL and /saml/metadata.' },
    1_000,
  ),
  SERVICE_SAML_ROOT_URL: url({ apply: 'restart', help: 'The address under which browsers reach us.' }),
  SERVICE_SAML_IDP_METADATA: text(
    '',
    { apply: 'restart', help: 'The identity provider’s metadata, as XML.' },
    1_000_000,
  ),
  SERVICE_SAML_SP_CERT: text('', { apply: 'restart', help: 'Our public signing certificate, as PEM.' }, 100_000),
  SERVICE_SAML_ROLE_ATTRIBUTE: text(
    'groups',
    { apply: 'restart', help: 'Attribute that carries groups or roles.' },
    256,
  ),
  SERVICE_SAML_ROLE_MAPPINGS: json(RoleMappings, {}, mappings, { apply: 'restart', help: 'Asserted value to role.' }),
  SERVICE_SAML_DEFAULT_ROLE: text('', { apply: 'restart', help: 'Role where no value matches; blank: none.' }, 64),
}
