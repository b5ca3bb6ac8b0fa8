/** Warnings at a start: settings that name unknown tools, weak sandboxes, an open inbound endpoint. */
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

/** MCP servers connect in the background: by then their first attempt has ended, and a tool that is missing is unknown. */
const serversSettleMs = 90_000

/** @returns ends the checks */
export function startChecks(dependencies: WarningDependencies): () => Promise<void> {
  const { settings, log } = dependencies
  if (settings.get('SERVICE_INBOUND_SECRET') === '')
    log.warn('SERVICE_INBOUND_SECRET is blank: anybody who reaches POST /v1/inbound can post messages')
  for (const weakness of settings.weaknesses()) log.warn(weakness)
  const stopWaiting = warnOfUnknownNames(dependencies)
  const sandboxCheck = warnOfWeakSandboxes(dependencies)
  return async () => {
    stopWaiting()
    await sandboxCheck
  }
}

/** A misspelt name has no effect, and nobody would notice. Checked once: at the start, or after MCP servers have connected. */
function warnOfUnknownNames({ tools, settings, log, clock }: WarningDependencies): () => void {
  function check(): void {
    for (const setting of ['SERVICE_APPROVAL_TOOLS', 'SERVICE_TOOL_SEARCH_CORE'] as const) {
      const names = settings.get(setting).filter((name) => !tools.all().some((tool) => matches(tool.name, name)))
      if (names.length > 0)
        log.warn({ setting, names }, 'a setting names unknown tools: misspelt, switched off or unreachable')
    }
  }
  if (tools.servers().length > 0) {
    const timer = clock.after(serversSettleMs, check)
    return () => timer.cancel()
  }
  check()
  return () => undefined
}

/** `name*` matches every name with that beginning, as in the tool lists of agents. */
function matches(tool: string, name: string): boolean {
  return name.endsWith('*') ? tool.startsWith(name.slice(0, -1)) : tool === name
}

/** Takes ten seconds at most. */
async function warnOfWeakSandboxes({ settings, log }: WarningDependencies): Promise<void> {
  try {
    const { sandboxes } = await describeSandboxes(settings)
    for (const { name: sandbox, languages, strength, notContained } of sandboxes)
      if (strength === 'weak') log.warn({ sandbox, languages, notContained }, 'code of agents runs in a weak sandbox')
  } catch (error) {
    log.warn({ err: error }, 'the sandboxes for code of agents could not be checked')
  }
}
