/** Groups LLM and Knowledge connectors: the models behind the agents, and what feeds them. */
import { choice, duration, int, optionalNumber, secret, text, url } from '../setting.ts'

export const llm = {
  SERVICE_LLM_PROVIDER: text(
    '',
    {
      whose: 'admin',
      apply: 'live',
      help: 'Model backend: blank or compatible for an endpoint, subscription for that transport.',
    },
    64,
  ),
  SERVICE_LLM_MODEL: text(
    '',
    { whose: 'admin', apply: 'live', help: 'Model name sent on every turn; blank: the name in the request.' },
    256,
  ),
  SERVICE_LLM_GATEWAY_URL: url({
    apply: 'live',
    help: 'Base URL of the compatible endpoint; blank: the native API when its key is set, else the demonstration model.',
  }),
  SERVICE_LLM_API_KEY: secret({
    whose: 'admin',
    apply: 'live',
    help: 'Bearer key for the compatible endpoint; blank: none is sent.',
  }),
  SERVICE_LLM_RETRIES: int(
    3,
    { min: 0, max: 20 },
    { whose: 'admin', apply: 'restart', help: 'Tries again after a transient failure of a model call.' },
  ),
  SERVICE_LLM_CALL_TIMEOUT_S: int(
    120,
    { min: 0, max: 86_400 },
    { whose: 'admin', apply: 'live', help: 'Seconds that one model call may take, tries included; 0: no limit.' },
  ),
  SERVICE_LLM_TEMPERATURE: optionalNumber(
    '',
    { min: 0, max: 2 },
    { whose: 'admin', apply: 'live', help: 'Temperature where a request sets none; blank: not sent.' },
  ),
  SERVICE_LLM_TOP_P: optionalNumber(
    '',
    { min: 0, max: 1 },
    { whose: 'admin', apply: 'live', help: 'Nucleus threshold where a request sets none; blank: not sent.' },
  ),
  SERVICE_CASCADE_STRONG_MODEL: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'Stronger model for long or complex requests; blank: off.' },
    256,
  ),
  SERVICE_CASCADE_MIN_CHARS: int(
    0,
    { min: 0, max: 100_000_000 },
    { whose: 'admin', apply: 'restart', help: 'Request length at which the stronger model is used; 0: 4,000.' },
  ),
  SERVICE_ROUTER_SIMPLE_MODEL: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'Model for simple turns; blank: no such band.' },
    256,
  ),
  SERVICE_ROUTER_STANDARD_MODEL: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'Model for standard turns; blank: no such band.' },
    256,
  ),
  SERVICE_ROUTER_COMPLEX_MODEL: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'Model for complex turns; blank: no such band.' },
    256,
  ),
  SERVICE_SUBSCRIPTION_BASE_URL: url({ apply: 'restart', help: 'Base of the subscription transport.' }),
  SERVICE_SUBSCRIPTION_MODEL: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'Model of the subscription transport; blank: the vendor’s default.' },
    256,
  ),
  SERVICE_SUBSCRIPTION_ACCESS_TOKEN: secret({
    whose: 'admin',
    apply: 'restart',
    help: 'Access token of the subscription transport.',
  }),
  SERVICE_SUBSCRIPTION_MAX_OUTPUT_TOKENS: int(
    0,
    { min: 0, max: 10_000_000 },
    { whose: 'admin', apply: 'live', help: 'Cap on output tokens of a turn, reasoning included; 0: none.' },
  ),
  SERVICE_SUBSCRIPTION_REASONING_EFFORT: choice(
    ['none', 'low', 'medium', 'high', 'xhigh'],
    'low',
    { whose: 'admin', apply: 'live', help: 'Reasoning depth where the agent sets none.' },
    'low',
  ),
  SERVICE_NATIVE_API: choice(['', 'chat', 'responses'], '', {
    whose: 'admin',
    apply: 'restart',
    help: 'Style of the native API; blank: found out.',
  }),
  SERVICE_NATIVE_API_KEY: secret({
    whose: 'admin',
    apply: 'restart',
    help: 'Account key of the native hosted-model loop.',
  }),
  SERVICE_NATIVE_BASE_URL: url({ apply: 'restart', help: 'Base of the native API.' }),
  SERVICE_NATIVE_MODEL: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'Model of the native loop, once its key is set.' },
    256,
  ),
}

export const knowledge = {
  SERVICE_KB_SYNC_INTERVAL: duration('', {
    whose: 'admin',
    apply: 'restart',
    help: 'How often knowledge connectors are read again; blank or 0: never.',
  }),
}
