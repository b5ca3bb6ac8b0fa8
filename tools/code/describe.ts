/** Says which sandbox runs which languages and how strong it is: for the doctor command and the audit log. */
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { planSandboxes, type Strength } from './plan.ts'
import type { SandboxName } from './sandbox.ts'

export interface SandboxDescription {
  isEnabled: boolean
  sandboxes: readonly {
    name: SandboxName
    languages: readonly string[]
    strength: Strength
    notContained: readonly string[]
  }[]
  problems: readonly string[]
}

const probeMs = 10_000

/** Probes what it names: a sandbox that is described has run something. */
export async function describeSandbox(
  settings: Pick<Settings, 'get'>,
  path = process.env['PATH'] ?? '',
): Promise<SandboxDescription> {
  if (!settings.get('SERVICE_CODE_EXEC')) return { isEnabled: false, sandboxes: [], problems: [] }
  const host = { path, clock: systemClock, signal: AbortSignal.timeout(probeMs) }
  const { sandboxes, problems } = await planSandboxes(settings, host)
  return {
    isEnabled: true,
    problems,
    sandboxes: sandboxes.map(({ name, interpreters, strength, notContained }) => ({
      ...{ name, languages: [...interpreters.keys()], strength, notContained },
    })),
  }
}
