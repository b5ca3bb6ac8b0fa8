/** What is known of a turn: its figures, who asked and who answered, what went wrong, and which endpoints were asked. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Banner } from '../../parts/banner.tsx'
import { Card } from '../../parts/card.tsx'
import { moneyText, numberText } from '../../parts/format.ts'
import { IdText } from '../../parts/id-text.tsx'
import { Facts } from '../../parts/key-value.tsx'
import { LinkIfMay } from '../../parts/link-if-may.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { sentence } from '../../parts/sentence.ts'
import { SmallTable } from '../../parts/small-table.tsx'
import { State } from '../../parts/state.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { useTurnErrorText } from '../../parts/turn-error.ts'
import { turnOriginText } from '../../parts/turn-origin.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { turnText } from './text.ts'
import type { Turn } from './turn.ts'

export function TurnFacts({ turn }: { turn: Turn }) {
  const t = useText(turnText)
  const originOf = useText(turnOriginText)
  const language = useLanguage()
  const parts = [
    turn.cached_tokens ? t('cached', { n: turn.cached_tokens }) : '',
    turn.reasoning_tokens ? t('reasoning', { n: turn.reasoning_tokens }) : '',
  ].filter((part) => part !== '')
  const agent = turn.agent && (
    <>
      {turn.agent_id ? (
        <LinkIfMay path={`/agents/${turn.agent_id}`} page="/agents/$id" permission="agents.read">
          {turn.agent}
        </LinkIfMay>
      ) : (
        turn.agent
      )}
      {turn.agent_version ? ` ${t('version', { n: turn.agent_version })}` : ''}
    </>
  )
  const rows: [ReactNode, ReactNode][] = [
    [t('took'), <Duration key="took" ms={turn.duration_ms} />],
    [t('firstToken'), <Duration key="first" ms={turn.time_to_first_token_ms} />],
    [
      t('tokens'),
      `${numberText(turn.prompt_tokens, language)} / ${numberText(turn.completion_tokens, language)}` +
        (parts.length > 0 ? ` (${parts.join(', ')})` : ''),
    ],
    [t('cost'), turn.cost ? moneyText(Number(turn.cost.micro_units), turn.cost.currency, language) : '–'],
    [t('agent'), agent ?? t('noAgent')],
    [t('model'), turn.model || '–'],
    ...(turn.endpoint === null ? [] : [[t('endpoint'), turn.endpoint] as [ReactNode, ReactNode]]),
    [t('origin'), originOf(turn.origin)],
  ]
  if (turn.channel !== null) {
    const path = `/channels/${encodeURIComponent(turn.channel)}`
    rows.push([
      t('channel'),
      <LinkIfMay key="channel" path={path} page="/channels/$name" permission="channels.read">
        {turn.channel}
      </LinkIfMay>,
    ])
  }
  if (turn.api_key)
    rows.push([
      t('key'),
      <LinkIfMay key="key" path="/keys" permission="keys.read">
        {turn.api_key.name}
      </LinkIfMay>,
    ])
  rows.push([t('started'), <Time key="started" iso={turn.started_at} />])
  rows.push([t('attempt'), Math.max(1, turn.attempt)])
  if (turn.finish_reason) rows.push([t('finish'), turn.finish_reason])
  rows.push([t('id'), <IdText key="id" id={turn.id} />])
  return <Facts rows={rows} />
}

/** Of these the model endpoints are to be looked at. */
const endpointCodes =
  /^(endpoint_|model_unknown|not_configured|quota_exceeded|rate_limited|garbage|stream_|call_timeout)/

/** Why it failed, in words, and where to go from there; what nobody counted. */
export function TurnProblems({ turn }: { turn: Turn }) {
  const t = useText(turnText)
  const errorText = useTurnErrorText()
  const mayOpen = useMayOpen()
  const { error } = turn
  if (!error) {
    if (!turn.usage_unknown) return null
    return (
      <Banner tone="warn" title={t('usageUnknown')}>
        {t('usageUnknownWhy')}
      </Banner>
    )
  }
  const next = endpointCodes.test(error.code)
    ? mayOpen('/models', 'models.read') && (['/models', t('toModels')] as const)
    : error.code === 'budget_exceeded' && mayOpen('/budgets', 'money.read') && (['/budgets', t('toBudgets')] as const)
  return (
    <Banner
      tone={turn.status === 'failed' ? 'bad' : 'info'}
      title={errorText(error.code)}
      role="alert"
      actions={
        next && (
          <Button size="xs" variant="default" renderRoot={linkTo(next[0])}>
            {next[1]}
          </Button>
        )
      }
    >
      {sentence(error.message)} <span className="mono">{error.code}</span>
      {turn.usage_unknown && ` ${t('usageUnknown')}.`}
    </Banner>
  )
}

/** Which model endpoints were asked, in order. */
export function TurnEndpoints({ turn }: { turn: Turn }) {
  const t = useText(turnText)
  const errorText = useTurnErrorText()
  if (!turn.endpoints) return null
  return (
    <Card title={t('endpoints')} isFlush>
      <SmallTable label={t('endpoints')}>
        <thead>
          <tr>
            <th>{t('endpoint')}</th>
            <th data-extra>{t('model')}</th>
            <th>{t('tried')}</th>
            <th data-number>{t('took')}</th>
          </tr>
        </thead>
        <tbody>
          {turn.endpoints.map(({ endpoint, model, code, status, took_ms }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what was asked does not move
            <tr key={at}>
              <td>{endpoint}</td>
              <td data-extra>{model}</td>
              <td>
                {code === null ? (
                  <State state="healthy">{t('endpointAnswered')}</State>
                ) : (
                  <State state="failed">
                    <span title={code}>{[errorText(code), status].filter(Boolean).join(' · ')}</span>
                  </State>
                )}
              </td>
              <td data-number>
                <Duration ms={took_ms} />
              </td>
            </tr>
          ))}
        </tbody>
      </SmallTable>
    </Card>
  )
}
