/** The timeline of a turn: what ran when, in parallel and in which branch. */

import { Stack, Text, UnstyledButton } from '@mantine/core'
import { Bot, ChevronDown, ChevronRight, Sparkles, Wrench } from 'lucide-react'
import { useState } from 'react'
import { Banner } from '../../parts/banner.tsx'
import { State } from '../../parts/state.tsx'
import { type Step, StepStatusBadge } from '../../parts/step-status.tsx'
import { Duration, durationText } from '../../parts/time.tsx'
import { useTurnErrorText } from '../../parts/turn-error.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { Outcome } from '../approvals/outcome.tsx'
import { type Branch, branchesOf, endOf, type Span, spanOf, type Wait, withWaits } from './branches.ts'
import { StoredValue } from './stored-value.tsx'
import { turnText } from './text.ts'
import styles from './timeline.module.css'

interface TimelineProps {
  steps: readonly Step[]
  waits: readonly Wait[]
  nowMs: number
}

export function Timeline({ steps, waits, nowMs }: TimelineProps) {
  const t = useText(turnText)
  if (steps.length === 0) return <Text c="dimmed">{t('noSteps')}</Text>
  const branches = branchesOf(steps, nowMs)
  // The steps of the others are further pages.
  const shown = waits.filter((wait) => branches.some(({ path }) => path === wait.path))
  const span = spanOf([...steps, ...shown], nowMs)
  return (
    <>
      <Axis span={span} />
      <ul className={styles['list']} aria-label={t('steps')}>
        {branches.flatMap((branch) => [
          ...(branches.length > 1
            ? [<BranchRow key={`branch ${branch.path}`} branch={branch} span={span} steps={steps} />]
            : []),
          ...withWaits(branch, shown).map((row) =>
            row.is === 'wait' ? (
              <WaitRow
                key={`wait ${row.wait.path} ${row.wait.started_at}`}
                {...{ wait: row.wait, span, nowMs }}
                depth={branch.depth}
              />
            ) : (
              <StepRow
                key={`${row.step.path} ${row.step.n}`}
                {...{ step: row.step, span, nowMs }}
                depth={branch.depth}
              />
            ),
          ),
        ])}
      </ul>
      <Legend steps={steps} waits={shown} nowMs={nowMs} />
    </>
  )
}

const ticks = [0, 1, 2, 3] as const

/** Where in the turn's time a bar stands, in quarters. */
function Axis({ span }: { span: Span }) {
  const t = useText(turnText)
  const language = useLanguage()
  const quarterMs = (span.endMs - span.beginMs) / ticks.length
  return (
    <div className={`${styles['row']} ${styles['axis']}`} aria-hidden>
      <span>{t('steps')}</span>
      <span className={styles['ticks']}>
        {ticks.map((tick) => (
          <span key={tick}>{durationText(tick * quarterMs, language)}</span>
        ))}
      </span>
      <span className={styles['took']}>{t('axis')}</span>
    </div>
  )
}

/** The colours of the bars, each with the time that went into it. */
function Legend({ steps, waits, nowMs }: TimelineProps) {
  const t = useText(turnText)
  const totals = { model: 0, tool: 0, failed: 0, waiting: 0 }
  for (const step of steps) totals[colourOf(step)] += endOf(step, nowMs) - Date.parse(step.started_at)
  for (const { duration_ms } of waits) totals.waiting += duration_ms ?? 0
  return (
    <dl className={styles['legend']}>
      {Object.entries(totals).map(
        ([colour, ms]) =>
          ms > 0 && (
            <div key={colour}>
              <dt>
                <i data-colour={colour} />
                {t(`total_${colour as keyof typeof totals}`)}
              </dt>
              <dd>
                <Duration ms={ms} />
              </dd>
            </div>
          ),
      )}
    </dl>
  )
}

function colourOf({ kind, status }: Step): 'model' | 'tool' | 'failed' | 'waiting' {
  return status === 'failed' || status === 'waiting' ? status : kind
}

const depthPx = (depth: number): number => Math.min(depth, 6) * 16

/** A sub-agent's branch is numbered by the step that delegated to it; here it gets the agent's name. */
function agentOf({ path, name }: Branch<Step>, steps: readonly Step[]): string | undefined {
  const above = path.slice(0, Math.max(0, path.length - name.length - 1))
  const handed = steps.find((step) => step.path === above && String(step.n) === name && step.name === 'delegate')
  const delegateRequest = handed?.request
  return delegateRequest && typeof delegateRequest === 'object' && 'agent' in delegateRequest
    ? String(delegateRequest.agent)
    : undefined
}

function BranchRow({ branch, span, steps }: { branch: Branch<Step>; span: Span; steps: readonly Step[] }) {
  const t = useText(turnText)
  return (
    <li>
      <div className={`${styles['row']} ${styles['branch']}`}>
        <span className={styles['what']} title={branch.path} style={{ paddingInlineStart: depthPx(branch.depth) }}>
          <Bot size={14} aria-hidden />
          {agentOf(branch, steps) ?? (branch.name || t('mainLoop'))}
        </span>
        <Bar colour="branch" of={branch} span={span} />
        <span className={styles['took']}>
          <Duration ms={branch.endMs - branch.beginMs} />
        </span>
      </div>
    </li>
  )
}

function WaitRow({ wait, span, nowMs, depth }: { wait: Wait; span: Span; nowMs: number; depth: number }) {
  const t = useText(turnText)
  return (
    <li>
      <div className={styles['row']}>
        <span className={styles['what']} style={{ paddingInlineStart: depthPx(depth) }}>
          <State state="waiting">{t('waited')}</State>
          <b>{wait.tool}</b>
          {wait.decidedBy !== null && t('decidedBy', { who: wait.decidedBy })}
        </span>
        <Bar colour="waiting" of={{ beginMs: Date.parse(wait.started_at), endMs: endOf(wait, nowMs) }} span={span} />
        <span className={styles['took']}>
          <Duration ms={wait.duration_ms} />
        </span>
      </div>
    </li>
  )
}

function StepRow({ step, span, nowMs, depth }: { step: Step; span: Span; nowMs: number; depth: number }) {
  const t = useText(turnText)
  const errorText = useTurnErrorText()
  const [isOpen, setOpen] = useState(step.status === 'unknown')
  const of = { beginMs: Date.parse(step.started_at), endMs: endOf(step, nowMs) }
  return (
    <li>
      <UnstyledButton className={styles['row'] ?? ''} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className={styles['what']} style={{ paddingInlineStart: depthPx(depth) }}>
          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          <span className={styles['kind']} data-kind={step.kind}>
            {step.kind === 'model' ? <Sparkles size={12} aria-hidden /> : <Wrench size={12} aria-hidden />}
            <span className="unseen">{t(`kind_${step.kind}`)}</span>
          </span>
          <b>{step.name}</b>
          {step.status !== 'succeeded' && <StepStatusBadge status={step.status} />}
          {step.error_code && (
            <span className={styles['error']} title={step.error_code}>
              {errorText(step.error_code)}
            </span>
          )}
          {step.prompt_tokens !== null && (
            <Text span size="sm" c="dimmed">
              {t('tokensShort', { in: step.prompt_tokens, out: step.completion_tokens ?? 0 })}
            </Text>
          )}
        </span>
        <Bar colour={colourOf(step)} of={of} span={span} />
        <span className={styles['took']}>
          <Duration ms={step.duration_ms} />
        </span>
      </UnstyledButton>
      {isOpen && <Details step={step} />}
    </li>
  )
}

function Bar({ colour, of, span }: { colour: string; of: Span; span: Span }) {
  const whole = Math.max(1, span.endMs - span.beginMs)
  const left = Math.min(99, ((of.beginMs - span.beginMs) / whole) * 100)
  const width = Math.min(100 - left, ((of.endMs - of.beginMs) / whole) * 100)
  return (
    <span className={styles['track']} aria-hidden>
      <span className={styles['bar']} data-colour={colour} style={{ left: `${left}%`, width: `${width}%` }} />
    </span>
  )
}

function Details({ step }: { step: Step }) {
  const t = useText(turnText)
  const isNothing = isAbsent(step.request) && isAbsent(step.result)
  return (
    <div className={styles['details']}>
      {step.status === 'unknown' && (
        <Banner tone="warn">
          <Stack gap="sm">
            <Text>{t('unknownWhat')}</Text>
            <Outcome step={step} />
          </Stack>
        </Banner>
      )}
      {isNothing && <Text c="dimmed">{t('nothingKept')}</Text>}
      {!isAbsent(step.request) && <StoredValue label={t('arguments')} value={step.request} />}
      {!isAbsent(step.result) && <StoredValue label={t('result')} value={step.result} />}
    </div>
  )
}

const isAbsent = (value: unknown): boolean => value === null || value === undefined
