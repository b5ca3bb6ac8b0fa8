/** The conversations in the pictures: the customers' messages, their channels, and the scripted steps of the model. */

export interface Call {
  name: string
  arguments: object
}
/** One answer of the model; `host` in an address is replaced by that of the stand-ins. */
export type Step = { say: string } | { calls: Call[] } | { refuse: number }

export interface Dialog {
  text: string
  steps: Step[]
  /** Undefined: not sent by a customer, but in the playground or as a task of a sub-agent. */
  from?: { channel: string; sender: string; name: string }
  folder?: string
  tags?: string[]
}

const read = (path: string): Call => ({ name: 'http_request', arguments: { url: `http://host${path}` } })
const refund = (order: number, sum: string): Call => ({
  name: 'http_request',
  arguments: { method: 'POST', url: 'http://host/refunds', json: { order, sum, currency: 'EUR' } },
})

const anna = { channel: 'shop', sender: 'anna@example.com', name: 'Anna Keller' }
const james = { channel: 'refunds', sender: 'james@example.com', name: 'James Carter' }
const maria = { channel: 'magazin', sender: 'maria@example.com', name: 'Мария Орлова' }
const pavel = { channel: 'refunds', sender: 'pavel@example.com', name: 'Павел Соколов' }
const grace = { channel: 'partners', sender: 'grace@example.com', name: 'Grace Lee' }
const noor = { channel: 'archive', sender: 'noor@example.com', name: 'Noor Haddad' }

export const playgroundText = 'How much are three lamps at 24.90 with a fifth off?'

export const dialogs: readonly Dialog[] = [
  {
    text: 'Where is my order 1042? It was to come on Tuesday.',
    from: anna,
    folder: 'Orders',
    tags: ['delivery'],
    steps: [
      { calls: [read('/orders/1042')] },
      {
        say: 'Your order 1042 left our warehouse this morning and arrives tomorrow between 9 and 12. I am sorry for the delay.',
      },
    ],
  },
  {
    text: 'Thank you. Which of my invoices of September are still open?',
    from: anna,
    folder: 'Orders',
    tags: ['delivery', 'invoice'],
    steps: [
      {
        calls: [
          { name: 'time_now', arguments: {} },
          { name: 'delegate', arguments: { agent: 'billing', task: 'Compare the invoices 311 and 312 of September.' } },
        ],
      },
      { say: 'One of them: invoice 312 over 74.70 EUR, due in six days. Invoice 311 is paid.' },
    ],
  },
  {
    text: 'Compare the invoices 311 and 312 of September.',
    steps: [
      { calls: [read('/invoices/311'), read('/invoices/312')] },
      { say: 'Invoice 311 over 59.76 EUR is paid; invoice 312 over 74.70 EUR is open.' },
    ],
  },
  {
    text: 'The lamp of order 1038 is broken. I would like my money back.',
    from: james,
    folder: 'Refunds',
    tags: ['refund'],
    steps: [{ calls: [refund(1038, '24.90')] }, { say: 'Done: 24.90 EUR are on their way back to your card.' }],
  },
  {
    text: 'Здравствуйте! Когда придёт мой заказ 2051?',
    from: maria,
    folder: 'Заказы',
    tags: ['доставка'],
    steps: [
      { calls: [read('/orders/2051')] },
      { say: 'Здравствуйте, Мария! Заказ 2051 уже в Казани, курьер привезёт его завтра с 10 до 14 часов.' },
    ],
  },
  {
    text: 'Чайник из заказа 2044 протекает. Верните, пожалуйста, деньги.',
    from: pavel,
    folder: 'Возвраты',
    tags: ['возврат'],
    steps: [{ calls: [refund(2044, '39.00')] }, { say: 'Готово: деньги вернутся на карту в течение трёх дней.' }],
  },
  {
    text: 'You charged me twice for order 1025.',
    from: { channel: 'refunds', sender: 'emma@example.com', name: 'Emma Rossi' },
    folder: 'Refunds',
    tags: ['refund'],
    steps: [
      { calls: [refund(1025, '59.76')] },
      { say: 'You are right, and I am sorry: 59.76 EUR are on their way back.' },
    ],
  },
  {
    text: 'Please pay out the bonus of the third quarter to us.',
    from: grace,
    steps: [{ calls: [refund(1019, '480.00')] }, { say: 'I cannot pay this out: it was refused.' }],
  },
  {
    text: 'Which colours does the desk lamp come in?',
    from: { ...grace, sender: 'omar@example.com', name: 'Omar Farouk' },
    steps: [{ say: 'In white, black and sage green. All three are in stock.' }],
  },
  {
    text: 'Can you send me the contract of 2019?',
    from: noor,
    steps: [{ say: 'I have sent it to the address that we know of you.' }],
  },
  {
    text: 'Read me page 40 of the manual.',
    from: { ...noor, sender: 'li@example.com', name: 'Li Wei' },
    steps: [{ refuse: 500 }],
  },
  {
    text: playgroundText,
    steps: [
      { calls: [{ name: 'calculator', arguments: { expression: '3 * 24.90 * (1 - 1/5)' } }] },
      { say: 'Three lamps at 24.90 EUR with a fifth off come to 59.76 EUR.' },
    ],
  },
]
