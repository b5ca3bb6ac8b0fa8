/** Settings: every key, grouped and searchable; several are changed together and reviewed before they are saved. */
import {
  Alert,
  Button,
  Card,
  Divider,
  Group,
  NativeSelect,
  NavLink,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { Fragment, useMemo } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Page } from '../../parts/page.tsx'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { type Draft, isConflicting, type Setting } from './draft.ts'
import { groupsRu } from './groups-ru.ts'
import { Review } from './review.tsx'
import { SettingRow } from './row.tsx'
import styles from './settings.module.css'
import { settingsText } from './text.ts'
import { queryKey, useDraft } from './use-draft.ts'

const byDefault = { group: 'LLM', q: '' }
export default function SettingsPage() {
  const t = useText(settingsText)
  const { may } = useSession()
  const settings = useQuery({ queryKey, queryFn: ({ signal }) => call('GET /v1/admin/settings', { signal }) })
  useRefreshOn(['settings.changed'], queryKey)
  const { data } = settings
  return (
    <Page title={t('title')} about={t('about')}>
      {settings.isError && <ErrorPanel error={settings.error} onRetry={() => void settings.refetch()} />}
      {!data && settings.isPending && <Skeleton height={320} />}
      {data && (
        <Catalogue
          groups={data.groups}
          command={data.command}
          items={data.items}
          pending={data.pending_restart}
          mayWrite={may('settings.write')}
        />
      )}
    </Page>
  )
}

interface CatalogueProps {
  groups: readonly string[]
  command: string
  items: readonly Setting[]
  pending: number
  mayWrite: boolean
}

function Catalogue({ groups, command, items, pending, mayWrite }: CatalogueProps) {
  const t = useText(settingsText)
  const c = useText(sharedText)
  const [filters, setFilters] = useFilters(byDefault)
  const { draft, change, overwrite, discard, refused, isReviewed, setReviewed, save, isBusy, error, outcome } =
    useDraft(items)
  useLeaveGuard(draft.size > 0)
  const visible = useVisibleSettings(items, filters.q, filters.group)
  return (
    <Stack>
      {pending > 0 && (
        <Alert color="yellow" variant="light">
          {t('pendingBanner', { n: pending })}
        </Alert>
      )}
      {outcome && (
        <Alert color={outcome.isError ? 'yellow' : 'green'} variant="light" role="status">
          {outcome.message}
        </Alert>
      )}
      <TextInput
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        leftSection={<Search size={16} aria-hidden />}
        maw={480}
        value={filters.q}
        onChange={(event) => setFilters({ q: event.currentTarget.value })}
      />
      <div className={styles['columns']}>
        <Groups
          groups={groups}
          chosen={filters.q === '' ? filters.group : ''}
          items={items}
          draft={draft}
          onChoose={(group) => setFilters({ group, q: '' })}
        />
        <Card>
          {visible.length === 0 && <Text c="dimmed">{t('noMatch')}</Text>}
          {visible.map((setting, index) => (
            <Fragment key={setting.key}>
              {index > 0 && <Divider />}
              <SettingRow
                setting={setting}
                change={draft.get(setting.key)}
                error={refused.get(setting.key)}
                hasConflict={isConflicting(draft, setting)}
                mayWrite={mayWrite}
                onChange={change}
                onOverwrite={overwrite}
              />
            </Fragment>
          ))}
        </Card>
      </div>
      {draft.size > 0 && (
        <Card className={styles['bar']} shadow="md">
          <Group justify="space-between">
            <Text fw={600}>{t('changes', { n: draft.size })}</Text>
            <Group gap="sm">
              <Button variant="default" onClick={discard}>
                {c('discard')}
              </Button>
              <Button onClick={() => setReviewed(true)}>{t('review')}</Button>
            </Group>
          </Group>
        </Card>
      )}
      {isReviewed && draft.size > 0 && (
        <Review
          draft={draft}
          command={command}
          items={items}
          error={error}
          refused={refused}
          isBusy={isBusy}
          onOverwrite={overwrite}
          onUndo={(setting) => change(setting, undefined)}
          onSave={save}
          onClose={() => setReviewed(false)}
        />
      )}
    </Stack>
  )
}

function useVisibleSettings(items: readonly Setting[], query: string, group: string): readonly Setting[] {
  const language = useLanguage()
  return useMemo(() => {
    const search = query.trim().toLowerCase()
    if (search === '') return items.filter((setting) => setting.group === group)
    const searchable = ({ key, help, help_ru }: Setting) =>
      `${key} ${help} ${language === 'ru' ? help_ru : ''}`.toLowerCase()
    return items.filter((setting) => searchable(setting).includes(search))
  }, [items, query, group, language])
}

interface GroupsProps {
  groups: readonly string[]
  chosen: string
  items: readonly Setting[]
  draft: Draft
  onChoose(group: string): void
}

/** The groups: a list beside the settings, or a select above them on narrow screens. */
function Groups({ groups, chosen, items, draft, onChoose }: GroupsProps) {
  const t = useText(settingsText)
  const language = useLanguage()
  const named = (group: string) => (language === 'ru' ? (groupsRu[group] ?? group) : group)
  const isTouched = (group: string) => items.some((setting) => setting.group === group && draft.has(setting.key))
  return (
    <>
      <nav className={styles['wide']} aria-label={t('groups')}>
        {groups.map((group) => (
          <NavLink
            key={group}
            component="button"
            type="button"
            label={`${named(group)}${isTouched(group) ? ' •' : ''}`}
            active={group === chosen}
            onClick={() => onChoose(group)}
          />
        ))}
      </nav>
      <NativeSelect
        className={styles['narrow'] ?? ''}
        aria-label={t('groups')}
        value={chosen}
        data={[
          ...(chosen === '' ? [{ value: '', label: '—' }] : []),
          ...groups.map((value) => ({ value, label: named(value) })),
        ]}
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
    </>
  )
}
