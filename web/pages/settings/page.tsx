/** Settings: every key, grouped and searchable; several are changed together and reviewed before they are saved. */

import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useMemo } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { Count } from '../../parts/count.tsx'
import { NothingFits } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { Page } from '../../parts/page.tsx'
import { SaveBar } from '../../parts/save-bar.tsx'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { type Draft, isConflicting, type Setting } from './draft.ts'
import { groupsRu } from './groups-ru.ts'
import { nameOf } from './names.ts'
import { Review } from './review.tsx'
import { SettingRow } from './row.tsx'
import styles from './settings.module.css'
import { settingsText } from './text.ts'
import { queryKey, useDraft } from './use-draft.ts'

const byDefault = { group: 'LLM', q: '' }
/** Views that gather settings of all groups. */
const views = { changed: 'viewChanged', restart: 'viewRestart' } as const

export default function SettingsPage() {
  const t = useText(settingsText)
  const c = useText(sharedText)
  const { may } = useSession()
  const settings = useQuery({ queryKey, queryFn: ({ signal }) => call('GET /v1/admin/settings', { signal }) })
  useRefreshOn(['settings.changed'], queryKey)
  const { data } = settings
  return (
    <Page title={t('title')} about={t('about')}>
      {settings.isError && <ErrorPanel error={settings.error} onRetry={() => void settings.refetch()} />}
      {!data && settings.isPending && <LoadingRows label={c('loading')} rows={10} />}
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
  const [filters, setFilters] = useFilters(byDefault)
  const { draft, change, overwrite, discard, refused, isReviewed, setReviewed, save, isBusy, error, outcome } =
    useDraft(items)
  useLeaveGuard(draft.size > 0, { isKeptInPage: true })
  const visible = useVisibleSettings(items, filters.q, filters.group)
  return (
    <>
      {pending > 0 && filters.group !== 'restart' && <Banner tone="warn">{t('pendingBanner', { n: pending })}</Banner>}
      {outcome && (
        <Banner tone={outcome.isError ? 'warn' : 'ok'} role="status">
          {outcome.message}
        </Banner>
      )}
      {!isReviewed && <ErrorPanel error={error} onRetry={save} />}
      <div className={styles['columns']}>
        <div className={styles['side']}>
          <FilterInput
            type="search"
            aria-label={t('search')}
            placeholder={t('searchIn', { n: items.length })}
            leftSection={<Search size={14} aria-hidden />}
            value={filters.q}
            onFilter={(q) => setFilters({ q })}
          />
          <Groups
            groups={groups}
            chosen={filters.q === '' ? filters.group : ''}
            items={items}
            draft={draft}
            onChoose={(group) => setFilters({ group, q: '' })}
          />
        </div>
        <div className={styles['rows']}>
          {visible.length === 0 && (
            <NothingFits
              title={t(filters.q === '' ? 'noneInView' : 'noMatch')}
              filters={1}
              onClear={() => setFilters(byDefault)}
            />
          )}
          {visible.map((setting) => (
            <SettingRow
              key={setting.key}
              setting={setting}
              change={draft.get(setting.key)}
              error={refused.get(setting.key)}
              hasConflict={isConflicting(draft, setting)}
              mayWrite={mayWrite}
              onChange={change}
              onOverwrite={overwrite}
            />
          ))}
        </div>
      </div>
      <SaveBar
        changes={draft.size}
        problem={refused.size > 0 ? t('toCorrect', { n: refused.size }) : undefined}
        isBusy={isBusy}
        onDiscard={discard}
        onReview={() => setReviewed(true)}
        onSave={save}
      />
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
    </>
  )
}

function useVisibleSettings(items: readonly Setting[], query: string, group: string): readonly Setting[] {
  const language = useLanguage()
  return useMemo(() => {
    const search = query.trim().toLowerCase()
    if (search === '') return items.filter((setting) => isIn(setting, group))
    const searchable = ({ key, help, help_ru }: Setting) =>
      `${key} ${nameOf(key, 'en')} ${help} ${language === 'ru' ? `${nameOf(key, 'ru')} ${help_ru}` : ''}`.toLowerCase()
    return items.filter((setting) => searchable(setting).includes(search))
  }, [items, query, group, language])
}

/** Of a group, or of a view. */
function isIn(setting: Setting, group: string): boolean {
  if (group === 'changed') return setting.origin !== 'default'
  if (group === 'restart') return setting.pending_restart
  return setting.group === group
}

interface GroupsProps {
  groups: readonly string[]
  chosen: string
  items: readonly Setting[]
  draft: Draft
  onChoose(group: string): void
}

/** The views and groups: a list beside the settings, or a select above them on narrow screens. */
function Groups({ groups, chosen, items, draft, onChoose }: GroupsProps) {
  const t = useText(settingsText)
  const language = useLanguage()
  const count = (group: string) => items.filter((setting) => isIn(setting, group)).length
  const changes = (group: string) => items.filter(({ key, group: of }) => of === group && draft.has(key)).length
  const entries = [
    ...Object.entries(views).map(([value, name]) => ({ value, label: t(name), count: count(value), isView: true })),
    ...groups.map((value) => ({
      value,
      label: language === 'ru' ? (groupsRu[value] ?? value) : value,
      count: changes(value),
      isView: false,
    })),
  ]
  return (
    <>
      <nav className={styles['groups']} aria-label={t('groups')}>
        {entries.map(({ value, label, count: n, isView }) => (
          <button
            key={value}
            type="button"
            aria-current={value === chosen || undefined}
            data-view={isView || undefined}
            onClick={() => onChoose(value)}
          >
            <span className="cut">{label}</span>
            <Count count={n} tone={value === 'restart' ? 'warn' : undefined} />
          </button>
        ))}
      </nav>
      <NativeSelect
        className={styles['narrow'] ?? ''}
        aria-label={t('groups')}
        value={chosen}
        data={[
          ...(chosen === '' ? [{ value: '', label: '–' }] : []),
          ...entries.map(({ value, label }) => ({ value, label })),
        ]}
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
    </>
  )
}
