/** The unsaved changes of the settings page, and the result of saving them. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useText } from '../../text/text.ts'
import { type Change, type Draft, requestOf, type Setting, withChange, withOverwrite, withoutApplied } from './draft.ts'
import { settingsText } from './text.ts'

export const queryKey = ['settings'] as const

interface Outcome {
  message: string
  isError: boolean
}

/** They stay until they are saved or discarded. */
export function useDraft(items: readonly Setting[]) {
  const t = useText(settingsText)
  const queries = useQueryClient()
  const [edits, setDraft] = useState<Draft>(new Map())
  const draft = useMemo(() => withoutApplied(edits, items), [edits, items])
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const [isReviewed, setReviewed] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [outcome, setOutcome] = useState<Outcome>()

  const change = useCallback((setting: Setting, to: Change | undefined) => {
    setDraft((before) => withChange(before, setting, to))
    setRefused((before) => new Map([...before].filter(([key]) => key !== setting.key)))
    setOutcome(undefined)
    if (to) setReviewed(false)
  }, [])

  const overwrite = useCallback((setting: Setting) => {
    setDraft((before) => withOverwrite(before, setting))
    setOutcome(undefined)
  }, [])

  async function save(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      const saved = await call('POST /v1/admin/settings', { body: requestOf(draft) })
      // At once, so that no old value shows.
      queries.setQueryData<Answer<'GET /v1/admin/settings'>>(
        queryKey,
        (before) => before && withSaved(before, saved.items),
      )
      const waiting = saved.pending_restart.length
      setOutcome({ message: waiting > 0 ? t('savedPending', { n: waiting }) : t('savedNow'), isError: false })
      setDraft(new Map())
      setRefused(new Map())
      setReviewed(false)
    } catch (failure) {
      const apiFailure = failure instanceof ApiFailure ? failure : undefined
      if (apiFailure?.code === 'settings_refused') setRefused(refusalsIn(apiFailure.body))
      else if (apiFailure?.status === 409) {
        // The refetched settings show the current value beside the draft.
        setOutcome({ message: t('conflict', { keys: conflictsIn(apiFailure.body).join(', ') }), isError: true })
      } else setError(failure)
    } finally {
      setBusy(false)
      await queries.invalidateQueries({ queryKey })
    }
  }

  return {
    draft,
    change,
    overwrite,
    refused,
    isReviewed,
    setReviewed,
    isBusy,
    error,
    outcome,
    discard: () => setDraft(new Map()),
    save: () => void save(),
  }
}

function withSaved(before: Answer<'GET /v1/admin/settings'>, saved: readonly Setting[]) {
  const byKey = new Map(saved.map((setting) => [setting.key, setting]))
  const items = before.items.map((setting) => byKey.get(setting.key) ?? setting)
  return { ...before, items, pending_restart: items.filter((setting) => setting.pending_restart).length }
}

function refusalsIn(body: unknown): ReadonlyMap<string, string> {
  const { refusals = [] } = body as { refusals?: { key: string; message: string }[] }
  return new Map(refusals.map(({ key, message }) => [key, message]))
}

const conflictsIn = (body: unknown): string[] => Object.keys((body as { current?: object }).current ?? {})
