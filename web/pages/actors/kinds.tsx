/** The supervision tree: each supervisor with the kinds of actors below it. */
import { Anchor, Table, Text } from '@mantine/core'
import { Fragment } from 'react'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import type { Actors } from './actors.ts'
import { Section } from './section.tsx'
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
    <Section title={t('tree')}>
      {kinds.length === 0 ? (
        <Text c="dimmed">{t('none')}</Text>
      ) : (
        <Table miw={720}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('kind')}</Table.Th>
              <Table.Th>{t('actors')}</Table.Th>
              <Table.Th>{t('state')}</Table.Th>
              <Table.Th>{t('mailbox')}</Table.Th>
              <Table.Th>{t('restarts')}</Table.Th>
              <Table.Th>{t('oldest')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {supervisors.map((supervisor) => (
              <Fragment key={supervisor}>
                <Table.Tr>
                  <Table.Th colSpan={6} scope="rowgroup" c="dimmed">
                    {supervisor}
                  </Table.Th>
                </Table.Tr>
                {kinds
                  .filter((kind) => kind.supervisor === supervisor)
                  .map((kind) => (
                    <KindRow key={kind.kind} of={kind} isChosen={kind.kind === chosen} onChoose={onChoose} />
                  ))}
              </Fragment>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}

function KindRow({ of, isChosen, onChoose }: { of: Kind; isChosen: boolean; onChoose(kind: string): void }) {
  const t = useText(actorsText)
  const language = useLanguage()
  const { kind, actors, statuses, mailbox, restarts, oldest_ms } = of
  const statusCounts = Object.entries(statuses) as [ActorStatus, number][]
  return (
    <Table.Tr {...(isChosen && { bg: 'var(--mantine-color-default-hover)' })}>
      <Table.Td pl="xl">
        <Anchor component="button" type="button" aria-pressed={isChosen} onClick={() => onChoose(kind)}>
          {kind}
        </Anchor>
      </Table.Td>
      <Table.Td>{actors.toLocaleString(language)}</Table.Td>
      <Table.Td>
        <StatusCounts counts={statusCounts} />
      </Table.Td>
      <Table.Td>
        {mailbox.waiting.toLocaleString(language)}
        {mailbox.deepest > 0 && (
          <Text size="sm" c="dimmed">
            {t('deepest', { deepest: mailbox.deepest, capacity: mailbox.capacity })}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{restarts.toLocaleString(language)}</Table.Td>
      <Table.Td>{durationText(oldest_ms, language)}</Table.Td>
    </Table.Tr>
  )
}
