import { describe, expect, test } from 'vitest'
import { groups, isSettingKey, parseSetting, type SettingKey, settingKeys, settingOf } from '../../config/catalogue.ts'

/** The interface's own list: key, default, and when it applies (R restart, L live, I immediate, - not stated). */
const specified = `
SERVICE_PERSONAL_API_KEYS 1 R
SERVICE_APPROVAL_TOOLS _ R
SERVICE_SUBAGENT_MAX_DEPTH 2 R
SERVICE_SUBAGENT_TIMEOUT_SEC 180 R
SERVICE_TOOL_SEARCH 0 -
SERVICE_TOOL_SEARCH_CORE _ -
SERVICE_TOOL_SEARCH_THRESHOLD 12 -
SERVICE_AGENT_BEST_OF_N 0 -
SERVICE_AGENT_DEBATE_N 0 -
SERVICE_AGENT_DEBATE_ROUNDS 1 R
SERVICE_AGENT_DEBATE_PROMPT _ R
SERVICE_AGENT_DEBATE_JUDGE_PROMPT _ R
SERVICE_AGENT_JUDGE_PROMPT _ R
SERVICE_AGENT_PLAN_STEPS 0 -
SERVICE_AGENT_PLAN_STEP_ITERS 0 -
SERVICE_AGENT_PLAN_PROMPT _ R
SERVICE_AGENT_REFLECT 0 -
SERVICE_AGENT_REFLECT_PROMPT _ R
SERVICE_AGENT_SELF_HEAL 0 -
SERVICE_LOCALE ru-RU -
SERVICE_TIMEZONE UTC -
SERVICE_CONFIDENTIAL_PERSONA 0 R
SERVICE_INBOUND_REQUIRE_BINDING true -
SERVICE_A2A_PUBLISH 0 R
SERVICE_MCP_PUBLISH 0 R
SERVICE_MCP_EXPORT_TOOLS _ R
SERVICE_KB_SYNC_INTERVAL _ R
SERVICE_LLM_PROVIDER _ -
SERVICE_LLM_MODEL _ -
SERVICE_LLM_GATEWAY_URL _ -
SERVICE_LLM_RETRIES 3 R
SERVICE_LLM_CALL_TIMEOUT_S 120 L
SERVICE_LLM_TEMPERATURE _ L
SERVICE_LLM_TOP_P _ L
SERVICE_CASCADE_STRONG_MODEL _ R
SERVICE_CASCADE_MIN_CHARS 0 R
SERVICE_ROUTER_SIMPLE_MODEL _ R
SERVICE_ROUTER_STANDARD_MODEL _ R
SERVICE_ROUTER_COMPLEX_MODEL _ R
SERVICE_SUBSCRIPTION_BASE_URL _ R
SERVICE_SUBSCRIPTION_MODEL * R
SERVICE_SUBSCRIPTION_MAX_OUTPUT_TOKENS 0 L
SERVICE_SUBSCRIPTION_REASONING_EFFORT low L
SERVICE_NATIVE_API _ R
SERVICE_NATIVE_API_KEY _ R
SERVICE_NATIVE_BASE_URL _ R
SERVICE_NATIVE_MODEL _ R
SERVICE_MEDIA_MAX_UPLOAD_MB 256 R
SERVICE_STT_ENGINE local R
SERVICE_STT_URL _ R
SERVICE_STT_MODEL * R
SERVICE_STT_LANGUAGE _ R
SERVICE_STT_API_KEY _ R
SERVICE_STT_SUBSCRIPTION_URL _ R
SERVICE_CLOUDSTT_API_KEY _ R
SERVICE_CLOUDSTT_MODEL * R
SERVICE_CLOUDSTT_URL _ R
SERVICE_IMAGE_BASE_URL _ R
SERVICE_IMAGE_MODEL * R
SERVICE_TTS_ENABLED 1 R
SERVICE_TTS_URL _ R
SERVICE_TTS_API_KEY _ R
SERVICE_TTS_MODEL _ R
SERVICE_TTS_VOICE * R
SERVICE_VIDEO_URL _ R
SERVICE_VIDEO_API_KEY _ R
SERVICE_VOICE_AEC 1 -
SERVICE_VOICE_AGC 1 -
SERVICE_VOICE_NOISE_SUPPRESSION 1 -
SERVICE_VOICE_BARGEIN_FRAMES 5 -
SERVICE_VOICE_DUPLEX 0 R
SERVICE_VOICE_VAD_THRESHOLD 0.02 -
SERVICE_MEMORY_CAPTURE auto -
SERVICE_MEMORY_RETRIEVAL fulltext R
SERVICE_MEMORY_EXTRACT 1 -
SERVICE_MEMORY_CONTEXT_TIMEOUT 3s R
SERVICE_MEMORY_DREAM_INTERVAL 1h -
SERVICE_MEMORY_URL _ R
SERVICE_MEMORY_TOKEN _ -
SERVICE_EMBEDDER_URL _ -
SERVICE_EMBEDDER_MODEL * -
SERVICE_EMBEDDER_DIM 768 -
SERVICE_EMBEDDER_KEEPALIVE 5m R
SERVICE_EMBEDDER_QUERY_PREFIX _ -
SERVICE_EMBEDDER_PASSAGE_PREFIX _ -
SERVICE_VECTORDB_URL _ -
SERVICE_VECTORDB_API_KEY _ R
SERVICE_RERANKER_URL _ R
SERVICE_MODERATION 1 R
SERVICE_MODERATION_REFUSAL _ R
SERVICE_PUBLIC_URL _ -R
REMOTE_AGENT_GATEWAY_BASE_URL _ -R
REMOTE_AGENT_PORT 8080 -R
CHATAPP_PUBLIC_URL _ -R
SERVICE_CHATAPP_CONNECTOR_PORT 8091 -R
SERVICE_LDAP_ENABLED 0 -R
SERVICE_LDAP_URL _ -R
SERVICE_LDAP_BASE_DN _ -R
SERVICE_LDAP_BIND_DN _ -R
SERVICE_LDAP_USER_FILTER _ -R
SERVICE_LDAP_USER_ATTR sAMAccountName -R
SERVICE_LDAP_GROUP_ATTR memberOf -R
SERVICE_LDAP_ROLE_MAPPINGS _ -R
SERVICE_LDAP_DEFAULT_ROLE _ -R
SERVICE_LDAP_SKIP_TLS_VERIFY 0 -R
SERVICE_OIDC_ISSUER _ -R
SERVICE_OIDC_JWKS_URL _ -R
SERVICE_OIDC_AUDIENCE _ -R
SERVICE_OIDC_TENANT_CLAIM _ -R
SERVICE_SAML_ENABLED 0 -R
SERVICE_SAML_ENTITY_ID _ -R
SERVICE_SAML_ROOT_URL _ -R
SERVICE_SAML_IDP_METADATA _ -R
SERVICE_SAML_SP_CERT _ -R
SERVICE_SAML_ROLE_ATTRIBUTE groups -R
SERVICE_SAML_ROLE_MAPPINGS _ -R
SERVICE_SAML_DEFAULT_ROLE _ -R
SERVICE_AIRGAPPED 0 R
SERVICE_AUDIT_RETENTION_DAYS 0 R
SERVICE_CODE_EXEC_ALLOW_HOST 0 R
SERVICE_CORS_ORIGINS _ R
SERVICE_CSP _ R
SERVICE_INBOUND_SECRET _ R
SERVICE_COMPAT_KEY _ R
SERVICE_COMPAT_WORKSPACE _ R
SERVICE_REQUIRE_2FA 0 I
SERVICE_REQUIRE_SECURE 0 R
SERVICE_TRUSTED_PROXIES _ L
SERVICE_CODE_EXEC 0 R
SERVICE_CODE_EXEC_SANDBOX_IMAGE _ R
SERVICE_CODE_EXEC_INTERPRETERS _ R
SERVICE_DB_QUERY_DSN _ R
SERVICE_FS_ROOT _ R
SERVICE_OUTGOING_ALLOWLIST _ L
SERVICE_HTTP_ALLOWLIST _ R
SERVICE_HTTP_AUTH_JSON _ R
SERVICE_WEBFETCH_ALLOWLIST _ R
SERVICE_MCP_SERVERS _ R
SERVICE_WEBUI_ENABLED 1 -R
SERVICE_WEBUI_API_BASE _ -R
SERVICE_WEBUI_ORIGIN _ -R
SERVICE_GATEWAY_ADDR :8780 -R
SERVICE_DEFAULT_WORKSPACE_ID _ -R
SERVICE_BLOB_DIR _ -R
SERVICE_MEDIA_TOKEN_SECRET _ -R
SERVICE_OTEL_ENDPOINT _ -R
`
  .trim()
  .split('\n')
  .map((line) => line.split(' ') as [SettingKey, string, string])

const modes = { R: 'restart', L: 'live', I: 'immediate', '-': 'live', '-R': 'restart' } as const

describe('catalogue', () => {
  test.each(specified)('%s has the default %s and the apply mode %s of the interface', (key, byDefault, mode) => {
    expect(isSettingKey(key)).toBe(true)
    const setting = settingOf(key)
    // `_` is empty; `*` is a name of some vendor's that the interface leaves open.
    if (byDefault !== '*') expect(setting.default).toBe(byDefault === '_' ? '' : byDefault)
    expect(setting.apply).toBe(modes[mode as keyof typeof modes])
  })

  test('every setting is in one group, with help, the allowed values, and a default that is allowed', () => {
    const inGroups = Object.values(groups).flatMap((group) => Object.keys(group))
    expect([...inGroups].sort()).toEqual([...settingKeys].sort())
    for (const key of settingKeys) {
      const { help, allowed, default: byDefault } = settingOf(key)
      expect(help.en, key).toMatch(/.{10}/)
      expect(allowed, key).not.toBe('')
      expect(() => parseSetting(key, byDefault), key).not.toThrow()
    }
  })

  test('every key, token, secret and password is marked secret', () => {
    const secret = settingKeys.filter((key) => settingOf(key).isSecret)
    const named = settingKeys.filter((key) =>
      /(API_KEY|_TOKEN|_SECRET|MASTER_KEY|COMPAT_KEY|BOOTSTRAP_KEY|_DSN|DATABASE_URL|AUTH_JSON)$/.test(key),
    )
    expect(secret).toEqual(expect.arrayContaining(named))
  })
})

describe('values', () => {
  test.each([
    ['SERVICE_TOOL_SEARCH', 'yes', true],
    ['SERVICE_TOOL_SEARCH', 'Off', false],
    ['SERVICE_PERSONAL_API_KEYS', 'off', false],
    ['SERVICE_PERSONAL_API_KEYS', '0', true],
    ['SERVICE_MODERATION', 'nonsense', true],
    ['SERVICE_MCP_PUBLISH', '1', true],
    ['SERVICE_MCP_PUBLISH', 'true', false],
    ['SERVICE_SUBSCRIPTION_REASONING_EFFORT', 'minimal', 'low'],
    ['SERVICE_SUBSCRIPTION_REASONING_EFFORT', 'XHIGH', 'xhigh'],
    ['SERVICE_LLM_TEMPERATURE', '', undefined],
    ['SERVICE_LLM_TEMPERATURE', '0.7', 0.7],
    ['SERVICE_MEMORY_CONTEXT_TIMEOUT', '1500ms', 1_500],
    ['SERVICE_KB_SYNC_INTERVAL', '', 0],
    ['SERVICE_EMBEDDER_KEEPALIVE', '-1', -1],
    ['SERVICE_TRUSTED_PROXIES', '10.0.0.0/8, ::1', ['10.0.0.0/8', '::1/128']],
    ['SERVICE_APPROVAL_TOOLS', ' a, b ,,c', ['a', 'b', 'c']],
    ['SERVICE_LDAP_ROLE_MAPPINGS', '{"cn=admins":"admin"}', { 'cn=admins': 'admin' }],
    ['SERVICE_AUDIT_RETENTION_DAYS', '', 0],
    ['SERVICE_GATEWAY_ADDR', '[::1]:0', '[::1]:0'],
  ] as const)('%s takes %j as %j', (key, text, value) => {
    expect(parseSetting(key, text)).toEqual(value)
  })

  test.each([
    ['SERVICE_TOOL_SEARCH', 'maybe'],
    ['SERVICE_LLM_RETRIES', '-1'],
    ['SERVICE_LLM_RETRIES', '3.5'],
    ['SERVICE_LLM_TEMPERATURE', '2.1'],
    ['SERVICE_LLM_GATEWAY_URL', 'ftp://example.com'],
    ['SERVICE_LLM_GATEWAY_URL', 'example.com/v1'],
    ['SERVICE_MEMORY_CONTEXT_TIMEOUT', '3 s'],
    ['SERVICE_MEMORY_CONTEXT_TIMEOUT', '-1'],
    ['SERVICE_STT_ENGINE', 'remote'],
    ['SERVICE_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['SERVICE_TRUSTED_PROXIES', 'proxy.example.com'],
    ['SERVICE_LDAP_ROLE_MAPPINGS', '{"a":1}'],
    ['SERVICE_LDAP_ROLE_MAPPINGS', '{'],
    ['SERVICE_GATEWAY_ADDR', '127.0.0.1'],
    ['SERVICE_GATEWAY_ADDR', ':70000'],
    ['SERVICE_CSP', `x${'\0'}`],
  ] as const)('%s refuses %j and says what is allowed', (key, text) => {
    expect(() => parseSetting(key, text)).toThrow(
      expect.objectContaining({ code: 'setting_refused', key, allowed: settingOf(key).allowed }),
    )
  })

  test('the refusal of a secret does not repeat it', () => {
    expect(() => parseSetting('SERVICE_HTTP_AUTH_JSON', 'hunter2')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  })
})
