/** The beginning of what a turn was asked and what it answered. */
import { Stack, Text } from '@mantine/core'
import { Card } from '../../parts/card.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { isOpen } from '../../parts/turn-status.tsx'
import { useText } from '../../text/text.ts'
import { turnText } from './text.ts'
import type { Turn } from './turn.ts'

export function QuestionAndAnswer({ turn }: { turn: Turn }) {
  const t = useText(turnText)
  if (turn.input === null && turn.output === null)
    return <Text c="dimmed">{t(turn.conversation_id === null ? 'notStored' : 'noBeginning')}</Text>
  return (
    <Card title={t('said')} fact={t('firstWords')}>
      <Stack gap={10}>
        {turn.input !== null && (
          <section>
            <h3>{t('question')}</h3>
            <p dir="auto">{turn.input}</p>
          </section>
        )}
        <section>
          <h3>{t('answer')}</h3>
          {turn.output === null ? (
            <Text c="dimmed">{isOpen(turn.status) ? '…' : t('noAnswer')}</Text>
          ) : (
            <Markdown text={turn.output} />
          )}
        </section>
      </Stack>
    </Card>
  )
}
