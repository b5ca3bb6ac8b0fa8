/** How long a call waits for its decision, counted down. */
import { State } from '../../parts/state.tsx'
import { durationText, useSeconds } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { approvalsText } from './text.ts'

/** @param at null: it waits until somebody decides */
export function Expiry({ at }: { at: string | null }) {
  const t = useText(approvalsText)
  const language = useLanguage()
  const nowMs = useSeconds()
  if (at === null) return <State state="waiting">{t('waitsForYou')}</State>
  const leftMs = Date.parse(at) - nowMs
  if (leftMs <= 0) return <State state="failed">{t('expiredNow')}</State>
  return (
    <span title={at}>
      <State state="waiting">{t('expires', { time: durationText(Math.ceil(leftMs / 1_000) * 1_000, language) })}</State>
    </span>
  )
}
