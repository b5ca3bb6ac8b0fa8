/**
 * Programs for the command line, each as its package is: where it starts, what it is told of an endpoint, and which of its
 * own tools reads a file. What each documents to switch off reports, updates and repeats is switched off.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Way {
  baseURL: string
  apiKey: string
}

interface Start {
  command: string
  args: string[]
  env: Record<string, string>
  /** Below the home folder. */
  files: Record<string, string>
}

export interface Program {
  name: string
  api: 'chat' | 'responses'
  start(way: Way, task: string, home: string): Start
  /** The call that reads this file. */
  reads(file: string): { name: string; arguments: string }
}

const fileOf = (path: string) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url))

const tool = (name: string, fields: object) => ({ name, arguments: JSON.stringify(fields) })

const codex: Program = {
  name: 'codex',
  api: 'responses',
  reads: (file) => tool('exec_command', { cmd: `cat ${file}` }),
  start: ({ baseURL, apiKey }, task, home) => ({
    command: process.execPath,
    args: [
      ...[fileOf('@openai/codex/bin/codex.js'), 'exec', '--skip-git-repo-check', '--json'],
      ...['--dangerously-bypass-approvals-and-sandbox', task],
    ],
    env: { CODEX_HOME: home, SERVICE_KEY: apiKey },
    files: {
      'config.toml': `
model = "gpt-test"
model_provider = "service"
web_search = "disabled"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.service]
name = "service"
base_url = ${JSON.stringify(baseURL)}
env_key = "SERVICE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`,
    },
  }),
}

/** The program that opencode-ai would link after its install. */
const opencode = (api: 'chat' | 'responses'): Program => ({
  name: 'opencode',
  api,
  reads: (file) => tool('read', { filePath: file }),
  start: ({ baseURL, apiKey }, task, home) => {
    const endpoint = { options: { baseURL, apiKey }, models: { 'gpt-test': { name: 'gpt-test' } } }
    // Known by this name, it is asked in the Responses style.
    const provider = api === 'responses' ? 'openai' : 'service'
    const other = { npm: '@ai-sdk/openai-compatible', ...endpoint }
    return {
      command: fileOf('opencode-linux-x64/bin/opencode'),
      // Without a title it asks the model for one, at the same time.
      args: ['run', '--pure', '--title', 'Task', '--model', `${provider}/gpt-test`, '--format', 'json', task],
      env: {
        ...{ XDG_CONFIG_HOME: join(home, 'config'), XDG_DATA_HOME: join(home, 'data') },
        ...{ XDG_STATE_HOME: join(home, 'state'), XDG_CACHE_HOME: join(home, 'cache') },
        ...{ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_SHARE: '1' },
        ...{ OPENCODE_DISABLE_LSP_DOWNLOAD: '1', OPENCODE_DISABLE_DEFAULT_PLUGINS: '1' },
      },
      files: {
        'work/opencode.json': JSON.stringify({
          ...{ autoupdate: false, share: 'disabled' },
          provider: { [provider]: api === 'responses' ? endpoint : other },
        }),
      },
    }
  },
})

const pi = (api: 'chat' | 'responses'): Program => ({
  name: 'pi',
  api,
  reads: (file) => tool('read', { path: file }),
  start: ({ baseURL, apiKey }, task, home) => ({
    command: process.execPath,
    args: [
      ...[fileOf('@mariozechner/pi-coding-agent/dist/cli.js'), '--provider', 'service', '--model', 'gpt-test'],
      ...['--mode', 'json', '--no-session', '--print', task],
    ],
    env: { PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1', PI_TELEMETRY: '0', SERVICE_KEY: apiKey },
    files: {
      'settings.json': JSON.stringify({ enableInstallTelemetry: false, retry: { enabled: false } }),
      'models.json': JSON.stringify({
        providers: {
          service: {
            ...{ baseUrl: baseURL, apiKey: 'SERVICE_KEY', models: [{ id: 'gpt-test' }] },
            api: api === 'chat' ? 'openai-completions' : 'openai-responses',
          },
        },
      }),
    },
  }),
})

const qwen = (api: 'chat' | 'responses'): Program => ({
  name: 'qwen-code',
  api,
  reads: (file) => tool('read_file', { file_path: file }),
  start: ({ baseURL, apiKey }, task) => ({
    command: process.execPath,
    args: [
      ...[fileOf('@qwen-code/qwen-code/cli-entry.js'), '--auth-type', 'openai', '--model', 'gpt-test'],
      ...['--output-format', 'json', '--approval-mode', 'yolo', task],
    ],
    env: { OPENAI_API_KEY: apiKey, ...(api === 'chat' && { OPENAI_BASE_URL: baseURL, OPENAI_MODEL: 'gpt-test' }) },
    files: {
      '.qwen/settings.json': JSON.stringify({
        ...{ general: { enableAutoUpdate: false }, telemetry: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        // A second question to the model, after the answer.
        memory: { enableManagedAutoMemory: false },
        ...(api === 'responses' && {
          modelProviders: {
            openai: [{ id: 'gpt-test', envKey: 'OPENAI_API_KEY', baseUrl: baseURL, wireApi: 'responses' }],
          },
        }),
      }),
    },
  }),
})

const continueCli: Program = {
  name: 'Continue CLI',
  api: 'chat',
  reads: (file) => tool('Read', { filepath: file }),
  start: (way, task, home) => ({
    command: process.execPath,
    args: [fileOf('@continuedev/cli/dist/cn.js'), '-p', '--auto', '--config', join(home, 'config.yaml'), task],
    env: {
      ...{ CONTINUE_GLOBAL_DIR: join(home, 'continue'), CONTINUE_METRICS_ENABLED: '0' },
      ...{ CONTINUE_CLI_ENABLE_TELEMETRY: '0', CONTINUE_CLI_AUTO_UPDATED: '1' },
    },
    files: {
      // YAML takes JSON.
      'config.yaml': JSON.stringify({
        ...{ name: 'service', version: '1.0.0', schema: 'v1' },
        models: [
          {
            ...{ name: 'gpt-test', provider: 'openai', model: 'gpt-test', roles: ['chat'], capabilities: ['tool_use'] },
            ...{ apiBase: way.baseURL, apiKey: way.apiKey },
          },
        ],
      }),
    },
  }),
}

export const programs: Program[] = [
  codex,
  ...[opencode('responses'), opencode('chat')],
  ...[pi('responses'), pi('chat')],
  ...[qwen('responses'), qwen('chat')],
  continueCli,
]
