/** The state of a key: what it is now, or what is soon or already in its way. */
import { State, type StateName } from '../../parts/state.tsx'
import { agoText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { endsSoon, type Key, type KeyState, stateOf } from './key.ts'
import { keysText } from './text.ts'

const states: Record<KeyState, StateName> = { active: 'healthy', expired: 'degraded', revoked: 'paused' }

/** @param isUsedUp the hard limit of its budget is reached: its calls are refused */
export function KeyStateBadge({ of, isUsedUp = false }: { of: Key; isUsedUp?: boolean }) {
  const t = useText(keysText)
  const language = useLanguage()
  const state = stateOf(of)
  if (state !== 'active') return <State state={states[state]}>{t(state)}</State>
  if (isUsedUp) return <State state="failed">{t('usedUp')}</State>
  const leftMs = endsSoon(of)
  if (leftMs === undefined) return <State state="healthy">{t('active')}</State>
  return <State state="degraded">{t('endsIn', { time: agoText(leftMs, language) })}</State>
}
