/** The time of a line, to the millisecond. */
const clockFormat = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})
export const clock = (iso: string): string => clockFormat.format(new Date(iso))
