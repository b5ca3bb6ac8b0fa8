/** Outcomes of deliveries by channel; rising failures of one channel show here. */

import { Anchor, Card, Table, Text, Title } from '@mantine/core'
import { linkTo } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { useLanguage, useText } from '../../text/text.ts'
import type { Signals } from './signals.tsx'
import { signalsText } from './signals-text.ts'

type ChannelSignals = Signals['channels'][number]

export function PerChannel({ signals: { channels } }: { signals: Signals }) {
  const t = useText(signalsText)
  return (
    <Card component="section">
      <Title order={2}>{t('perChannel')}</Title>
      <Text c="dimmed" mb="sm">
        {t(channels.length === 0 ? 'noChannels' : 'perChannelAbout')}
      </Text>
      {channels.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section style={{ overflowX: 'auto', overflowWrap: 'normal' }} tabIndex={0} aria-label={t('perChannel')}>
          <Table miw={760}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('channel')}</Table.Th>
                <Table.Th>{t('delivered')}</Table.Th>
                <Table.Th>{t('pending')}</Table.Th>
                <Table.Th>{t('undeliverable')}</Table.Th>
                <Table.Th>{t('cancelled')}</Table.Th>
                <Table.Th>{t('turnsNow')}</Table.Th>
                <Table.Th>{t('refused')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {channels.map((channel) => (
                <ChannelRow key={channel.channel} of={channel} />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </Card>
  )
}

function ChannelRow({ of }: { of: ChannelSignals }) {
  const t = useText(signalsText)
  const language = useLanguage()
  const mayOpen = useMayOpen()
  const { channel, dispositions, waiting, running, intake } = of
  const count = (name: string) => dispositions[name] ?? 0
  const open = count('pending') + count('sending') + count('failed')
  const lost = count('undeliverable')
  return (
    <Table.Tr>
      <Table.Td>
        {mayOpen('/channels/$name', 'channels.read') ? (
          <Anchor renderRoot={linkTo(`/channels/${channel}`)}>{channel}</Anchor>
        ) : (
          channel
        )}
      </Table.Td>
      <Table.Td>{count('delivered').toLocaleString(language)}</Table.Td>
      <Table.Td>{open.toLocaleString(language)}</Table.Td>
      <Table.Td>
        {lost > 0 && mayOpen('/deliveries', 'deliveries.read') ? (
          <Anchor
            fw={600}
            aria-label={`${channel}: ${t('undeliverable')}: ${lost}`}
            renderRoot={linkTo('/deliveries', { channel, status: 'undeliverable' })}
          >
            {lost.toLocaleString(language)}
          </Anchor>
        ) : (
          lost
        )}
      </Table.Td>
      <Table.Td>{count('cancelled').toLocaleString(language)}</Table.Td>
      <Table.Td>
        {waiting.toLocaleString(language)} / {running.toLocaleString(language)}
      </Table.Td>
      <Table.Td>{intake.refused.toLocaleString(language)}</Table.Td>
    </Table.Tr>
  )
}
