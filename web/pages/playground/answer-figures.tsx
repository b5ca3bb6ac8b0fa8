/** What an answer took: times, tokens and cost, beside another's where two are compared. */
import { moneyText, shortNumberText } from '../../parts/format.ts'
import { Facts } from '../../parts/key-value.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import type { AnswerItem } from './conversation.ts'
import styles from './playground.module.css'
import { playgroundText } from './text.ts'

/** Tokens a second, once the first was there. */
function speedOf({ tokens, durationMs, firstTokenMs }: AnswerItem): number | null {
  if (!tokens || durationMs === null || firstTokenMs == null || durationMs <= firstTokenMs) return null
  return tokens.completion / ((durationMs - firstTokenMs) / 1_000)
}

/** Of two currencies neither is less. */
function costsOf(one: AnswerItem, other: AnswerItem | undefined): [number | null, number | null] {
  const isSame = one.cost?.currency === other?.cost?.currency
  return isSame && one.cost && other?.cost
    ? [Number(one.cost.micro_units), Number(other.cost.micro_units)]
    : [null, null]
}

export function AnswerFigures({ answer, than }: { answer: AnswerItem; than: AnswerItem | undefined }) {
  const t = useText(playgroundText)
  const language = useLanguage()
  const isEnded = answer.state === 'done' && than?.state === 'done'
  const figure = (text: string, own: number | null, other: number | null | undefined, isMoreBetter = false) => {
    const isBetter = isEnded && own !== null && other != null && (isMoreBetter ? own > other : own < other)
    return (
      <span data-better={isBetter || undefined} title={isBetter ? t('better') : undefined}>
        {text}
      </span>
    )
  }
  const { tokens, durationMs, firstTokenMs } = answer
  const speed = speedOf(answer)
  const [cost, otherCost] = costsOf(answer, than)
  return (
    <div className={styles['figures']}>
      <Facts
        rows={[
          [t('latency'), figure(durationText(durationMs, language), durationMs, than?.durationMs)],
          [t('firstToken'), figure(durationText(firstTokenMs, language), firstTokenMs, than?.firstTokenMs)],
          [
            t('speed'),
            figure(speed === null ? '–' : t('perSecond', { n: Math.round(speed) }), speed, than && speedOf(than), true),
          ],
          [
            t('inOut'),
            tokens
              ? `${shortNumberText(tokens.prompt, language)} / ${shortNumberText(tokens.completion, language)}`
              : '–',
          ],
          [t('cost'), figure(costText(answer, language), cost, otherCost)],
        ]}
      />
    </div>
  )
}

export function costText({ cost }: AnswerItem, language: Parameters<typeof moneyText>[2]): string {
  return cost ? moneyText(Number(cost.micro_units), cost.currency, language) : '–'
}
