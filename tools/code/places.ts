/** A bounded number of runs at once, a bounded line before them, and whoever comes then is told to come later. */
import { ToolFailed } from '../tool.ts'

export interface Places {
  /** @returns gives the place back. @throws ToolFailed `busy`; the signal's reason when it aborts in the line */
  take(signal: AbortSignal): Promise<() => void>
}

export function places(runsMax: number, waitingMax: number): Places {
  const waiting = new Set<() => void>()
  let running = 0

  function place(): () => void {
    running++
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      running--
      const [next] = waiting
      next?.()
    }
  }

  return {
    take(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      if (running < runsMax) return Promise.resolve(place())
      if (waiting.size >= waitingMax) {
        return Promise.reject(new ToolFailed('busy', 'too much code runs at this moment: try again later'))
      }
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(enter)
          reject(signal.reason)
        }
        const enter = () => {
          waiting.delete(enter)
          signal.removeEventListener('abort', leave)
          resolve(place())
        }
        waiting.add(enter)
        signal.addEventListener('abort', leave, { once: true })
      })
    },
  }
}
