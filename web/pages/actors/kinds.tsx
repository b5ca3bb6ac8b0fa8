/** The supervision tree: each supervisor with the kinds of actors below it. */
import { Anchor, Text } from '@mantine/core'
import { Fragment } from 'react'
import { Card } from '../../parts/card.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import type { Actors } from './actors.ts'
import { type ActorStatus, StatusCounts } from './status.tsx'
import { actorsText } from './text.ts'

type Kind = Actors['kinds'][number]

interface KindsProps {
  kinds: readonly Kind[]
  chosen: string
  onChoose(kind: string): void
}

export function Kinds({ kinds, chosen, onChoose }: KindsProps) {
  const t = useText(actorsText)
  const supervisors = [...new Set(kinds.map(({ supervisor }) => supervisor))].sort()
  return (
    <Card isFlush title={t('tree')}>
      {kinds.length === 0 ? (
        <Text c="dimmed" p={14}>
          {t('none')}
        </Text>
      ) : (
        <SmallTable label={t('kind')} leastWidthPx={720}>
          <thead>
            <tr>
              <th>{t('kind')}</th>
              <th data-number>{t('actors')}</th>
              <th>{t('state')}</th>
              <th data-number>{t('mailbox')}</th>
              <th data-number>{t('restarts')}</th>
              <th data-number>{t('oldest')}</th>
            </tr>
          </thead>
          <tbody>
            {supervisors.map((supervisor) => (
              <Fragment key={supervisor}>
                <tr>
                  <th colSpan={6} scope="rowgroup">
                    {supervisor}
                  </th>
                </tr>
                {kinds
                  .filter((kind) => kind.supervisor === supervisor)
                  .map((kind) => (
                    <KindRow key={kind.kind} of={kind} isChosen={kind.kind === chosen} onChoose={onChoose} />
                  ))}
              </Fragment>
            ))}
          </tbody>
        </SmallTable>
      )}
    </Card>
  )
}

function KindRow({ of, isChosen, onChoose }: { of: Kind; isChosen: boolean; onChoose(kind: string): void }) {
  const t = useText(actorsText)
  const language = useLanguage()
  const { kind, actors, statuses, mailbox, restarts, oldest_ms } = of
  const statusCounts = Object.entries(statuses) as [ActorStatus, number][]
  return (
    <tr aria-current={isChosen || undefined}>
      <td>
        <Anchor component="button" type="button" aria-pressed={isChosen} onClick={() => onChoose(kind)}>
          {kind}
        </Anchor>
      </td>
      <td data-number>{actors.toLocaleString(language)}</td>
      <td>
        <StatusCounts counts={statusCounts} />
      </td>
      <td data-number>
        {mailbox.waiting.toLocaleString(language)}
        {mailbox.deepest > 0 && (
          <Text size="sm" c="dimmed">
            {t('deepest', { deepest: mailbox.deepest, capacity: mailbox.capacity })}
          </Text>
        )}
      </td>
      <td data-number>{restarts.toLocaleString(language)}</td>
      <td data-number>{durationText(oldest_ms, language)}</td>
    </tr>
  )
}
