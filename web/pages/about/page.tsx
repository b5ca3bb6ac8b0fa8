/** About: versions, enabled features, and where the documents are. */

import { Anchor, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiBase, call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Card, CardGrid } from '../../parts/card.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { aboutText } from './text.ts'

type About = Answer<'GET /v1/admin/about'>
type Setting = Answer<'GET /v1/admin/settings'>['items'][number]

export default function AboutPage() {
  const t = useText(aboutText)
  const { may } = useSession()
  const about = useQuery({
    queryKey: ['about'],
    queryFn: ({ signal }) => call('GET /v1/admin/about', { signal }),
    refetchInterval: 60_000,
  })
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call('GET /v1/admin/settings', { signal }),
    enabled: may('settings.read'),
  })
  return (
    <Page title={t('title')} about={t('about')}>
      {about.isError && <ErrorPanel error={about.error} onRetry={() => void about.refetch()} />}
      {about.isPending && <Skeleton height={240} />}
      <CardGrid leastWidthPx={420}>
        {about.data && <Versions about={about.data} />}
        {settings.isError && <ErrorPanel error={settings.error} onRetry={() => void settings.refetch()} />}
        {settings.data && <SwitchedOn settings={settings.data.items} />}
        <Documents />
      </CardGrid>
    </Page>
  )
}

function Versions({ about }: { about: About }) {
  const t = useText(aboutText)
  const language = useLanguage()
  const { version, licence, node, platform, database, uptime_s, memory_bytes } = about
  const rows: [string, string][] = [
    [t('version'), version],
    [t('licence'), licence],
    [t('node'), node],
    [t('platform'), platform],
    [t('database'), t(database.is_built_in ? 'builtIn' : 'own', { version: database.version })],
    [t('uptime'), durationText(uptime_s * 1_000, language)],
    [t('memory'), t('megabytes', { n: Math.round(memory_bytes / 1_000_000) })],
  ]
  const text = [t('product'), ...rows.map(([name, value]) => `${name}: ${value}`)].join('\n')
  return (
    <Card title={t('product')}>
      <KeyValue rows={rows} />
      <details>
        <summary>
          <Text span>{t('copy')}</Text>
        </summary>
        <CopyText text={text} label={t('copy')} />
      </details>
    </Card>
  )
}

const isGiven = ({ value, is_set }: Setting): boolean => (value === null ? is_set : value !== '')

const features: readonly { key: string; name: keyof typeof aboutText.en; isOn(setting: Setting): boolean }[] = [
  { key: 'SERVICE_LLM_GATEWAY_URL', name: 'model', isOn: isGiven },
  { key: 'SERVICE_MODERATION', name: 'guard', isOn: ({ value }) => value?.toLowerCase() !== 'off' },
  { key: 'SERVICE_OTEL_ENDPOINT', name: 'telemetry', isOn: isGiven },
  { key: 'SERVICE_REQUIRE_2FA', name: 'secondFactor', isOn: isTrue },
  { key: 'SERVICE_CODE_EXEC_ALLOW_HOST', name: 'hostCode', isOn: isTrue },
  { key: 'SERVICE_TRUSTED_PROXIES', name: 'proxies', isOn: isGiven },
  { key: 'SERVICE_AUDIT_RETENTION_DAYS', name: 'retention', isOn: ({ value }) => Number(value) > 0 },
]

function isTrue({ value }: Setting): boolean {
  return ['1', 'true', 'yes', 'on'].includes(value?.toLowerCase() ?? '')
}

function SwitchedOn({ settings }: { settings: readonly Setting[] }) {
  const t = useText(aboutText)
  return (
    <Card title={t('switchedOn')}>
      <Text c="dimmed" mb="sm">
        {t('switchedOnAbout')}
      </Text>
      <Stack gap={6}>
        {features.map(({ key, name, isOn }) => {
          const setting = settings.find((one) => one.key === key)
          if (!setting) return null
          const is = isOn(setting)
          return (
            <Group key={key} justify="space-between" wrap="nowrap">
              <Text title={key}>{t(name)}</Text>
              <StatusBadge tone={is ? 'good' : 'quiet'}>{t(is ? 'on' : 'off')}</StatusBadge>
            </Group>
          )
        })}
        <Anchor renderRoot={linkTo('/settings')}>{t('toSettings')}</Anchor>
      </Stack>
    </Card>
  )
}

const documents = [
  { file: 'docs/operations.md', name: 'docStart' },
  { file: 'docs/settings.md', name: 'docSettings' },
  { file: 'docs/observability.md', name: 'docWatch' },
  { file: 'docs/web-ui.md', name: 'docUi' },
  { file: 'docs/api.md', name: 'docApi' },
  { file: 'docs/channels.md', name: 'docChannels' },
] as const

/** The service does not serve its documents: the page names their folder, and links only to what is served. */
function Documents() {
  const t = useText(aboutText)
  return (
    <Card title={t('docs')}>
      <Text c="dimmed" mb="sm">
        {t('docsAbout')}
      </Text>
      <Stack gap={6}>
        {documents.map(({ file, name }) => (
          <Group key={file} justify="space-between" gap="sm">
            <Text>{t(name)}</Text>
            <Code>{file}</Code>
          </Group>
        ))}
        <Anchor href={`${apiBase}/openapi.json`} target="_blank" rel="noreferrer">
          {t('openApi')}
        </Anchor>
      </Stack>
    </Card>
  )
}
