/** Outcomes of deliveries by channel; rising failures of one channel show here. */

import { Anchor } from '@mantine/core'
import { Card } from '../../parts/card.tsx'
import { LinkIfMay } from '../../parts/link-if-may.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { SmallTable } from '../../parts/small-table.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { signalsText } from './signals-text.ts'
import type { Signals } from './use-signals.ts'

type ChannelSignals = Signals['channels'][number]

export function PerChannel({ signals: { channels } }: { signals: Signals }) {
  const t = useText(signalsText)
  return (
    <Card title={t('perChannel')} fact={t(channels.length === 0 ? 'noChannels' : 'perChannelAbout')}>
      {channels.length > 0 && (
        <SmallTable label={t('perChannel')} leastWidthPx={760}>
          <thead>
            <tr>
              <th>{t('channel')}</th>
              <th data-number>{t('delivered')}</th>
              <th data-number>{t('pending')}</th>
              <th data-number>{t('undeliverable')}</th>
              <th data-number>{t('cancelled')}</th>
              <th data-number>{t('turnsNow')}</th>
              <th data-number>{t('refused')}</th>
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
        <LinkIfMay path={`/channels/${channel}`} page="/channels/$name" permission="channels.read">
          {channel}
        </LinkIfMay>
      </td>
      <td data-number>{count('delivered').toLocaleString(language)}</td>
      <td data-number>{open.toLocaleString(language)}</td>
      <td data-number>
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
      <td data-number>{count('cancelled').toLocaleString(language)}</td>
      <td data-number>
        {waiting.toLocaleString(language)} / {running.toLocaleString(language)}
      </td>
      <td data-number>{intake.refused.toLocaleString(language)}</td>
    </tr>
  )
}
