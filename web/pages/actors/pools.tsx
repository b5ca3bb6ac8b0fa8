/** Pools: worker threads and database connections, how many are busy and how much work waits. */
import { SimpleGrid, Table } from '@mantine/core'
import { useText } from '../../text/text.ts'
import type { Actors } from './actors.ts'
import { Section } from './section.tsx'
import { actorsText } from './text.ts'

const ends = ['done', 'failed', 'refused', 'cancelled', 'timed_out', 'died'] as const

export function Pools({ pools: { workers, database } }: { pools: Actors['pools'] }) {
  const t = useText(actorsText)
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Section title={t('workers')}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('pool')}</Table.Th>
              <Table.Th>{t('threads')}</Table.Th>
              <Table.Th>{t('runs')}</Table.Th>
              <Table.Th>{t('waits')}</Table.Th>
              <Table.Th>{t('ends')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {workers.map((of) => (
              <Table.Tr key={of.pool}>
                <Table.Td>{of.pool}</Table.Td>
                <Table.Td>{of.threads}</Table.Td>
                <Table.Td>{of.running}</Table.Td>
                <Table.Td>{of.waiting}</Table.Td>
                <Table.Td>
                  {ends
                    .filter((end) => (of.ends[end] ?? 0) > 0)
                    .map((end) => t(end, { n: of.ends[end] ?? 0 }))
                    .join(', ') || '–'}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Section>
      <Section title={t('database')}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('pool')}</Table.Th>
              <Table.Th>{t('connections')}</Table.Th>
              <Table.Th>{t('runs')}</Table.Th>
              <Table.Th>{t('waits')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {database.map((of) => (
              <Table.Tr key={of.pool}>
                <Table.Td>{of.pool}</Table.Td>
                <Table.Td>{of.connections_max}</Table.Td>
                <Table.Td>{of.running}</Table.Td>
                <Table.Td>{of.waiting}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Section>
    </SimpleGrid>
  )
}
