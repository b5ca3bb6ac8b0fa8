/** Outcomes of deliveries by channel; rising failures of one channel show here. */

import { Anchor, Card, Text, Title } from '@mantine/core'
import { linkTo } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { SmallTable } from '../../parts/small-table.tsx'
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
        <SmallTable label={t('perChannel')} leastWidthPx={760}>
          <thead>
            <tr>
              <th>{t('channel')}</th>
              <th>{t('delivered')}</th>
              <th>{t('pending')}</th>
              <th>{t('undeliverable')}</th>
              <th>{t('cancelled')}</th>
              <th>{t('turnsNow')}</th>
              <th>{t('refused')}</th>
            </tr>
          </thead>
          <tbody>
            {channels.map((channel) => (
              <ChannelRow key={channel.channel} of={channel} />
            ))}
          </tbody>
        </SmallTable>
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
    <tr>
      <td>
        {mayOpen('/channels/$name', 'channels.read') ? (
          <Anchor renderRoot={linkTo(`/channels/${channel}`)}>{channel}</Anchor>
        ) : (
          channel
        )}
      </td>
      <td>{count('delivered').toLocaleString(language)}</td>
      <td>{open.toLocaleString(language)}</td>
      <td>
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
      </td>
      <td>{count('cancelled').toLocaleString(language)}</td>
      <td>
        {waiting.toLocaleString(language)} / {running.toLocaleString(language)}
      </td>
      <td>{intake.refused.toLocaleString(language)}</td>
    </tr>
  )
}
