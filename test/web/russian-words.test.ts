/** One word for one thing in the Russian texts: that of the menu and of the visual language, and no other. */
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** What a text must not say, and what it says instead. */
const words: readonly (readonly [RegExp, string])[] = [
  [/диалог|бесед/i, 'разговор'],
  [/одобрен|апрув/i, 'согласование'],
  [/плейграунд|площадк/i, 'песочница'],
  [/эндпо[ий]нт|точ(ка|ки|ке|ку|ек) доступа|(?<!конечн\S+ )точ(ка|ки|ке|ку|ек) модел/i, 'конечная точка'],
  [/алерт|оповещени/i, 'тревога; уведомление'],
  [/воркспейс|тенант/i, 'пространство'],
  [/подагент|суб-агент/i, 'субагент'],
  [/аккаунт/i, 'учётная запись'],
  [/(?<![а-яё])(нода|ноды|нод)(?![а-яё])/i, 'узел'],
  [/отправлени[ея] ответ/i, 'доставка'],
  [/промт/i, 'промпт'],
]

const files = globSync('web/**/*.{ts,tsx}')

it('no other word stands for what has one', () => {
  expect(files.length).toBeGreaterThan(200)
  const wrong = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        words
          .filter(([pattern]) => pattern.test(line))
          .map(([, right]) => `${file}:${at + 1}: say «${right}»: ${line.trim()}`),
      ),
  )
  expect(wrong).toEqual([])
})
