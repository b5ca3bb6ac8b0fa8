/** The state of a key as a badge. */
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { useText } from '../../text/text.ts'
import { type Key, type KeyState, stateOf } from './key.ts'
import { keysText } from './text.ts'

const tones: Record<KeyState, Tone> = { active: 'good', expired: 'warn', revoked: 'quiet' }

export function KeyStateBadge({ of }: { of: Key }) {
  const t = useText(keysText)
  const state = stateOf(of)
  return <StatusBadge tone={tones[state]}>{t(state)}</StatusBadge>
}
