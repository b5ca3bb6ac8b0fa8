/**
 * Measures what the guard takes for messages as people write them, and prints it. In a process of its own, where the guard's
 * modules are bound as in the service: a test process binds them slowly, and has a large heap besides.
 */
import { createGuard } from '../../../guard/guard.ts'
import { filled, leastMs } from './least-ms.ts'

export interface OrdinaryMessage {
  name: string
  /** In characters. */
  length: number
  tookMs: number
  /** For reading each character once. */
  lowestMs: number
}

const guard = createGuard()

const english =
  'Hello, I ordered a blue jacket from your shop last Tuesday and it has not arrived yet. Could you please check where the ' +
  'parcel is and tell me when it will be delivered? My order number is 48213. I will be away from Friday on, so if it comes ' +
  "later I would like to change the address to my neighbour's. Thank you very much, kind regards, Anna. "
const russian =
  'Здравствуйте, я заказала у вас синюю куртку в прошлый вторник, и она до сих пор не пришла. Подскажите, пожалуйста, где ' +
  'сейчас посылка и когда её привезут? Номер заказа 48213. С пятницы меня не будет дома, поэтому если она придёт позже, я ' +
  'хотела бы поменять адрес на соседский. Большое спасибо, с уважением, Анна Петрова. '
const code = 'export function add(a: number, b: number): number { return a + b } // src/channel/adapters/email\n'

/** Reading each character once by its number, as no guard can do without. */
function readingMs(length: number): number {
  const text = filled(english, length)
  let sum = 0
  const tookMs = leastMs(
    () => {
      for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) & 0xffff
    },
    100,
    100,
  )
  if (sum === 0) throw new Error('nothing was read')
  return tookMs
}

const messages: [name: string, length: number, part: string][] = [
  ['English', 330, english],
  ['Russian', 330, russian],
  ['English', 2_048, english],
  ['Russian', 2_048, russian],
  ['code', 2_048, code],
]

const measured: OrdinaryMessage[] = messages.map(([name, length, part]) => {
  const text = filled(part, length)
  leastMs(() => guard.inspect(text, 'user'), 500)
  return { name, length, tookMs: leastMs(() => guard.inspect(text, 'user'), 50, 10), lowestMs: readingMs(length) }
})
process.stdout.write(JSON.stringify(measured))
