/** What the browser says of a field that is not filled in right, in the UI's language instead of the system's. */
import { type Language, texts, translator } from '../text/text.ts'

const words = texts({
  en: {
    missing: 'Fill in this field.',
    url: 'Give an address with http:// or https://, such as https://example.com.',
    email: 'Give an address such as name@example.com.',
    pattern: 'This is not in the form that is described.',
    tooShort: 'Give at least {n} characters.',
    tooLong: 'Give at most {n} characters.',
    least: 'Give {n} or more.',
    most: 'Give {n} or less.',
    other: 'This value does not fit.',
  },
  ru: {
    missing: 'Заполните это поле.',
    url: 'Укажите адрес с http:// или https://, например https://example.com.',
    email: 'Укажите адрес, например name@example.com.',
    pattern: 'Значение не того вида, что описан у поля.',
    tooShort: 'Нужно не меньше {n} символов.',
    tooLong: 'Можно не больше {n} символов.',
    least: 'Нужно {n} или больше.',
    most: 'Можно {n} или меньше.',
    other: 'Это значение не подходит.',
  },
})

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

const isField = (target: EventTarget | null): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement

/** For all forms, those of dialogs and of pages that come later included. */
export function sayInvalidIn(language: () => Language): void {
  addEventListener(
    'invalid',
    ({ target }) => {
      if (isField(target)) target.setCustomValidity(messageOf(target, language()))
    },
    true,
  )
  // A message of ours makes the field invalid by itself: taken away before each check, which a click begins (Enter clicks too).
  addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      for (const field of button?.form?.elements ?? []) if (isField(field)) field.setCustomValidity('')
    },
    true,
  )
}

function messageOf(field: Field, language: Language): string {
  const { validity } = field
  const say = translator(words, language)
  if (validity.valueMissing) return say('missing')
  if (validity.typeMismatch) return say(field.type === 'email' ? 'email' : 'url')
  if (validity.patternMismatch) return say('pattern')
  if (validity.tooShort) return say('tooShort', { n: field.getAttribute('minlength') ?? '' })
  if (validity.tooLong) return say('tooLong', { n: field.getAttribute('maxlength') ?? '' })
  if (validity.rangeUnderflow) return say('least', { n: field.getAttribute('min') ?? '' })
  if (validity.rangeOverflow) return say('most', { n: field.getAttribute('max') ?? '' })
  return say('other')
}
