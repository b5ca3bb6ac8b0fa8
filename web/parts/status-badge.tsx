/** A state by its tone, for states that are not of turns, steps or deliveries. The word alone must be enough. */
import { State, type StateName } from './state.tsx'

export type Tone = 'good' | 'busy' | 'bad' | 'warn' | 'quiet' | 'wait'
const states: Record<Tone, StateName> = {
  good: 'healthy',
  busy: 'running',
  bad: 'failed',
  warn: 'degraded',
  quiet: 'paused',
  wait: 'waiting',
}

export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  return <State state={states[tone]}>{children}</State>
}
