/** One item of the conversation: a question, or an answer with its steps and how it ended. */

import { Button, Code, Group, Loader, Stack, Text } from '@mantine/core'
import { memo } from 'react'
import { ApiFailure } from '../../api/call.ts'
import { Banner } from '../../parts/banner.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Duration, durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { costText } from './answer-figures.tsx'
import { blocksOf } from './blocks.ts'
import type { AnswerItem, Item } from './conversation.ts'
import styles from './playground.module.css'
import { playgroundText } from './text.ts'
import { Timeline } from './timeline.tsx'

/** Memoized: only the growing answer is rendered again. */
export const ConversationItem = memo(function ConversationItem({
  item,
  onRegenerate,
}: {
  item: Item
  onRegenerate: (() => void) | undefined
}) {
  const t = useText(playgroundText)
  if (item.by === 'agent') return <Answer answer={item} onRegenerate={onRegenerate} />
  return (
    <article className={styles['question']} aria-label={t('you')}>
      <div className={styles['words']}>{item.text}</div>
    </article>
  )
})

function Answer({ answer, onRegenerate }: { answer: AnswerItem; onRegenerate: (() => void) | undefined }) {
  const t = useText(playgroundText)
  const isRunning = answer.state === 'running'
  // A stream that says no model of its own has the name that was asked for.
  const other = answer.answeredBy === answer.model ? '' : answer.answeredBy
  return (
    <Stack
      gap="sm"
      component="article"
      className={styles['answer'] ?? ''}
      aria-label={t('answerOf', { model: answer.model })}
      aria-busy={isRunning}
    >
      <Text size="sm" fw={600} c="dimmed">
        {answer.model}
        {other !== '' && ` · ${other}`}
      </Text>
      {answer.missing && (
        <Banner tone="warn">
          {t('notAsked', { model: answer.missing })} {other !== '' && t('askedInstead', { other })}
        </Banner>
      )}
      <Timeline answer={answer} />
      {answer.reasoning !== '' && (
        <details>
          <summary>
            <Text span>{t('reasoning')}</Text>
          </summary>
          <Text c="dimmed" className={styles['words'] ?? ''}>
            {answer.reasoning}
          </Text>
        </details>
      )}
      <div data-words>
        <Words text={answer.text} isRunning={isRunning} />
      </div>
      {isRunning && (
        <Group gap="sm" role="status">
          <Loader size={14} aria-hidden />
          <Text c="dimmed">{answer.doing || t('working')}</Text>
        </Group>
      )}
      <EndNote answer={answer} />
      {!isRunning && <Actions answer={answer} onRegenerate={onRegenerate} />}
    </Stack>
  )
}

/** A longer one is rendered when it has ended: until then its beginning would be rendered again with each piece. */
const renderedWhileRunningMax = 8_000

function Words({ text, isRunning }: { text: string; isRunning: boolean }) {
  if (text === '') return null
  if (!isRunning || text.length <= renderedWhileRunningMax) return <Markdown text={text} isStreaming={isRunning} />
  return (
    <div className={styles['words']}>
      {blocksOf(text).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks never move
        <Block key={at} text={block} />
      ))}
    </div>
  )
}

const Block = memo(function Block({ text }: { text: string }) {
  return <span className={styles['block']}>{text}</span>
})

function EndNote({ answer }: { answer: AnswerItem }) {
  const t = useText(playgroundText)
  const { failure, state, finishReason } = answer
  if (failure) return <ErrorPanel error={new ApiFailure(failure)} />
  const text =
    state === 'cancelled'
      ? t('cancelled')
      : state === 'cut'
        ? t('cut')
        : finishReason === 'length'
          ? t('lengthEnd')
          : finishReason === 'tool_calls'
            ? t('toolsEnd')
            : finishReason === 'content_filter'
              ? t('filterEnd')
              : state === 'done' && answer.text === ''
                ? t('emptyAnswer')
                : undefined
  if (text === undefined) return null
  return <Banner tone={state === 'cancelled' ? 'info' : 'warn'}>{text}</Banner>
}

function Actions({ answer, onRegenerate }: { answer: AnswerItem; onRegenerate: (() => void) | undefined }) {
  const t = useText(playgroundText)
  const language = useLanguage()
  return (
    <Group gap="sm">
      {answer.text !== '' && <CopyButton text={() => answer.text} />}
      {onRegenerate && (
        <Button size="xs" variant="default" onClick={onRegenerate}>
          {t('tryAgain')}
        </Button>
      )}
      <Text size="sm" c="dimmed">
        <Duration ms={answer.durationMs} />
        {answer.firstTokenMs != null && ` · ${t('firstAfter', { time: durationText(answer.firstTokenMs, language) })}`}
        {answer.tokens && ` · ${t('tokens', { n: answer.tokens.prompt + answer.tokens.completion })}`}
        {answer.cost && ` · ${costText(answer, language)}`}
        {answer.finishReason && answer.finishReason !== 'stop' && (
          <>
            {' · '}
            <Code>{answer.finishReason}</Code>
          </>
        )}
      </Text>
    </Group>
  )
}
