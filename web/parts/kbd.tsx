/** A key of the keyboard. */
import type { ReactNode } from 'react'

export const Kbd = ({ children }: { children: ReactNode }) => <kbd className="kbd">{children}</kbd>
