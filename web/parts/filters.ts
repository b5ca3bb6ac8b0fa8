/** Filters that live in the address, so that Back, a reload and a link keep them. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'

/**
 * @param byDefault every filter of the page with its default value; pass the same object each time
 * @returns the current values, and a function that changes some of them
 */
export function useFilters<Filters extends Record<string, string>>(
  byDefault: Filters,
): [Filters, (change: Partial<Filters>) => void] {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const navigate = useNavigate()
  const filters = useMemo(
    () => Object.fromEntries(Object.keys(byDefault).map((name) => [name, search[name] ?? byDefault[name]])) as Filters,
    [byDefault, search],
  )
  const change = useCallback(
    (changed: Partial<Filters>) => {
      void navigate({
        to: '.',
        replace: true,
        search: (before: Record<string, string>) => {
          const after = { ...before, ...changed } as Record<string, string>
          return Object.fromEntries(
            Object.entries(after).filter(([name, value]) => value !== '' && value !== byDefault[name]),
          )
        },
      } as never)
    },
    [navigate, byDefault],
  )
  return [filters, change]
}
