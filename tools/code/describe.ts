/** Says which sandbox runs which languages and how strong it is: for the doctor command and the log at start-up. */
import type { Settings } from '../../config/settings.ts'
import { type PlannedSandbox, planSandboxes } from './plan.ts'

export interface SandboxDescription {
  isEnabled: boolean
  sandboxes: readonly Omit<PlannedSandbox, 'process'>[]
  problems: readonly string[]
}

/** Probes what it names: a sandbox that is described has run something. */
export async function describeSandboxes(
  settings: Pick<Settings, 'get'>,
  path = process.env['PATH'] ?? '',
): Promise<SandboxDescription> {
  if (!settings.get('SERVICE_CODE_EXEC')) return { isEnabled: false, sandboxes: [], problems: [] }
  return { isEnabled: true, ...(await planSandboxes(settings, path)) }
}
