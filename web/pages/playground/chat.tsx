/** A conversation with an agent or a model, or with two beside each other: the messages and the composer. Also in the first steps. */
import { Button, Textarea } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useText } from '../../text/text.ts'
import { AnswerFigures } from './answer-figures.tsx'
import { isRunningIn, itemsOf, lastAnswer, type SideName, setupOf, sidesOf, wrongFields } from './conversation.ts'
import { ConversationItem } from './conversation-item.tsx'
import styles from './playground.module.css'
import { playgroundText } from './text.ts'
import type { ConversationState } from './use-conversation.ts'

interface ChatProps {
  state: ConversationState
  empty: string
  /** Above the messages of a side: whom they are with. */
  headOf?(side: SideName): ReactNode
}

export function Chat({ state, empty, headOf }: ChatProps) {
  const t = useText(playgroundText)
  const sides = sidesOf(state.conversation)
  return (
    <div className={styles['chat']}>
      <div className={styles['lanes']} data-sides={sides.length}>
        {sides.map((side) => (
          <Lane key={side} side={side} state={state} empty={empty} head={headOf?.(side)} />
        ))}
      </div>
      {!state.isStored && (
        <p className={styles['note']} role="status">
          {t('notKept')}
        </p>
      )}
      <Composer state={state} />
    </div>
  )
}

interface LaneProps {
  side: SideName
  state: ConversationState
  empty: string
  head: ReactNode
}

function Lane({ side, state, empty, head }: LaneProps) {
  const t = useText(playgroundText)
  const { conversation } = state
  const items = itemsOf(conversation, side)
  const last = items.at(-1)
  const isRunning = isRunningIn(items)
  const latest = useRef(state.regenerate)
  latest.current = state.regenerate
  // The same function at each render, so that the memoized items stay as they are.
  const regenerate = useRef(() => latest.current(side)).current
  const scroller = useFollowed(last)
  const other = lastAnswer(itemsOf(conversation, side === 'first' ? 'second' : 'first'))
  const own = lastAnswer(items)
  return (
    <section className={styles['lane']} aria-label={t(side === 'first' ? 'talk' : 'secondTalk')}>
      {head !== undefined && <div className={styles['head']}>{head}</div>}
      {/* biome-ignore lint/a11y/useSemanticElements: no landmark, as its lane is one, and no group of fields */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div role="group" ref={scroller} className={styles['scroller']} tabIndex={0} aria-label={t('thread')}>
        {items.length === 0 && <p className={styles['note']}>{empty}</p>}
        {items.map((item, at) => (
          <ConversationItem
            key={item.id}
            item={item}
            onRegenerate={at === items.length - 1 && !isRunning ? regenerate : undefined}
          />
        ))}
        {last?.by === 'user' && (
          <Button
            variant="default"
            className={styles['answerIt'] ?? ''}
            disabled={setupOf(conversation, side).model.trim() === ''}
            onClick={regenerate}
          >
            {t('answerThis')}
          </Button>
        )}
      </div>
      {conversation.second && own && <AnswerFigures answer={own} than={other} />}
    </section>
  )
}

/** Within this of the end the view follows the answer; after scrolling up it stays. */
const endPx = 120

function useFollowed(of: unknown) {
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const element = scroller.current
    const measure = () => {
      if (element) isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < endPx
    }
    element?.addEventListener('scroll', measure, { passive: true })
    return () => element?.removeEventListener('scroll', measure)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each piece of the answer
  useEffect(() => {
    if (isAtEnd.current && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [of])
  return scroller
}

function Composer({ state }: { state: ConversationState }) {
  const t = useText(playgroundText)
  const { conversation, isRunning } = state
  const { setup, second, draft } = conversation
  const isReady =
    setup.model.trim() !== '' && second?.model.trim() !== '' && draft.trim() !== '' && wrongFields(setup).length === 0
  const send = () => {
    if (isReady && !isRunning) state.send()
  }
  return (
    <form
      className={styles['composer']}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Textarea
        aria-label={t('message')}
        placeholder={t(second ? 'writeToBoth' : 'write')}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={200_000}
        value={draft}
        onChange={(event) => state.type(event.currentTarget.value)}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Escape' && isRunning) return state.cancel()
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      <div className={styles['send']}>
        <span className={styles['note']}>{t('messageHint')}</span>
        {isRunning ? (
          <Button variant="default" color="red" onClick={state.cancel}>
            {t('stop')}
          </Button>
        ) : (
          <Button type="submit" disabled={!isReady}>
            {t('send')}
          </Button>
        )}
      </div>
    </form>
  )
}
