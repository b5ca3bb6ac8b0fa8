/** Warnings at start-up: settings that name tools which do not exist, code that runs with weak containment, an open door. */
import type { Settings } from '../config/settings.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { describeSandboxes } from '../tools/code/describe.ts'
import type { Toolbox } from '../tools/registry.ts'

interface WarningDependencies {
  tools: Toolbox
  settings: Settings
  log: Log
  clock: Clock
}

/** External servers connect in the background: their tools are missed only after their first attempt must have ended. */
const serversSettleMs = 90_000

/** @returns ends the checks under way */
export function startChecks(dependencies: WarningDependencies): () => Promise<void> {
  const { settings, log } = dependencies
  if (settings.get('SERVICE_INBOUND_SECRET') === '')
    log.warn('SERVICE_INBOUND_SECRET is blank: anybody who reaches POST /v1/inbound can post messages')
  const stopWaiting = warnOfUnknownNames(dependencies)
  const sandboxCheck = warnOfWeakSandboxes(dependencies)
  return async () => {
    stopWaiting()
    await sandboxCheck
  }
}

/** A misspelt name has no effect, and nobody would notice. Checked once: at the start, or when servers have had their time. */
function warnOfUnknownNames({ tools, settings, log, clock }: WarningDependencies): () => void {
  function check(): void {
    for (const setting of ['SERVICE_APPROVAL_TOOLS', 'SERVICE_TOOL_SEARCH_CORE'] as const) {
      const names = settings.get(setting).filter((name) => !tools.all().some((tool) => matches(tool.name, name)))
      if (names.length > 0)
        log.warn({ setting, names }, 'a setting names tools that are not here: misspelt, switched off or unreachable')
    }
  }
  if (tools.servers().length > 0) {
    const timer = clock.after(serversSettleMs, check)
    return () => timer.cancel()
  }
  check()
  return () => undefined
}

/** `name*` stands for every name that begins so, as in the tool lists of agents. */
function matches(tool: string, name: string): boolean {
  return name.endsWith('*') ? tool.startsWith(name.slice(0, -1)) : tool === name
}

/** Its probe takes ten seconds at most. */
async function warnOfWeakSandboxes({ settings, log }: WarningDependencies): Promise<void> {
  try {
    const { sandboxes } = await describeSandboxes(settings)
    for (const { name: sandbox, languages, strength, notContained } of sandboxes)
      if (strength === 'weak')
        log.warn({ sandbox, languages, notContained }, 'code of agents runs in something weaker than a sandbox')
  } catch (error) {
    log.warn({ err: error }, 'it could not be found out what contains the code of agents')
  }
}
