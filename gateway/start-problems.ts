/** What the log says of a start that failed: one line for each thing that an operator can put right, the stack of a defect. */
import { isSettingKey, settingOf } from '../config/catalogue.ts'
import { SealBroken } from '../config/seal.ts'
import { SettingRefused } from '../config/setting.ts'
import { SettingsRefused } from '../config/settings.ts'
import { commandName } from '../runtime/command-name.ts'
import { Failure, type FailureCode } from '../runtime/failure.ts'
import { StartFailed } from '../runtime/lifecycle.ts'

export interface StartProblem {
  code: string
  setting?: string
  reason: string
  advice?: string
  [field: string]: unknown
}

/** Their messages say what to do, so that nothing is added to them. */
const selfExplaining: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'bootstrap_key_refused',
  'data_folder_in_use',
  'embedded_refused',
  'migration_refused',
])

/** The settings of the parts that listen. */
const addressOfPart: Readonly<Record<string, string>> = { http: 'SERVICE_GATEWAY_ADDR', ui: 'SERVICE_WEBUI_ADDR' }

/** @returns fields of a line each; of a defect one with the error and its stack */
export function startProblems(error: unknown): (StartProblem | { err: unknown })[] {
  const part = error instanceof StartFailed ? error.part : ''
  const cause = error instanceof StartFailed ? error.cause : error
  if (cause instanceof SettingsRefused) return cause.refusals.map(ofSetting)
  if (cause instanceof SettingRefused) return [ofSetting(cause)]
  if (cause instanceof SealBroken) return [{ code: cause.code, reason: cause.message, advice: sealAdvice }]
  if (cause instanceof Failure && cause.code === 'port_taken') return [ofPort(cause, addressOfPart[part])]
  if (cause instanceof Failure && selfExplaining.has(cause.code)) return [{ code: cause.code, reason: cause.message }]
  return [{ err: error }]
}

const sealAdvice =
  'give the service the master key that this database was written with: SERVICE_MASTER_KEY, or master.key in SERVICE_DATA_DIR;' +
  ` where it is lost, remove what it sealed: "${commandName()} secrets remove", "${commandName()} settings unset"`

function ofSetting({ code, key, message, origin }: SettingRefused): StartProblem {
  const command = `${commandName()} settings`
  const byEnvironment = `change the environment variable ${key}, or unset it${defaultOf(key)}`
  const byStore = `run "${command} set ${key} VALUE", or "${command} unset ${key}"`
  const advice = {
    environment: byEnvironment,
    stored: byStore,
    unknown: `${byStore}; where it is not stored, ${byEnvironment}`,
  }
  return { code, setting: key, reason: message, advice: `${advice[origin ?? 'unknown']}, and start again` }
}

function defaultOf(key: string): string {
  const text = isSettingKey(key) ? settingOf(key).default : ''
  return text === '' ? '' : ` for the default ${text}`
}

function ofPort({ code, message }: Failure, setting: string | undefined): StartProblem {
  if (setting === undefined) return { code, reason: message }
  const advice = `end what listens there, or set ${setting} to a free port of an address of this machine, and start again`
  return { code, setting, reason: message, advice }
}
