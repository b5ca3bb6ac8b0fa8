/** The parts of other rooms that agents need besides a model: the tools and the tokenizer, real ones. */
import type { Settings } from '../../config/settings.ts'
import { tokenCounter } from '../../models/tokens.ts'
import type { TokenCounter } from '../../models/usage.ts'
import type { Log } from '../../runtime/log/log.ts'
import { createResolver } from '../../runtime/network/resolver.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { openToolbox, type Toolbox } from '../../tools/registry.ts'

export interface AgentParts {
  tools: Toolbox
  tokens: TokenCounter
  close(): Promise<void>
}

export async function agentParts(dependencies: { settings: Settings; log: Log; clock: Clock }): Promise<AgentParts> {
  const tools = await openToolbox({ ...dependencies, resolve: createResolver() })
  const tokens = tokenCounter({ log: dependencies.log })
  return {
    tools,
    tokens,
    async close() {
      await Promise.all([tools.close(), tokens.close()])
    },
  }
}
