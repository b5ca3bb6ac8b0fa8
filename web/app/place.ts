/** Where a page stands: its section and the tabs beside it. A context, because pages cannot import the list that loads them. */
import { createContext, useContext } from 'react'
import type { Label } from '../pages/sections.ts'

export interface Place {
  section?: Label
  /** Of a page of one thing: the list it is of. */
  up?: string
  /** Of the section's pages that are allowed; one or none: there are no tabs. */
  tabs: readonly { path: string; title: Label; isCurrent: boolean }[]
}

const PlaceContext = createContext<Place>({ tabs: [] })
export const PlaceProvider = PlaceContext.Provider
export const usePlace = (): Place => useContext(PlaceContext)
