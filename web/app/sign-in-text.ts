/** Texts of signing in and of the first run. */
import { texts } from '../text/text.ts'

export const signInText = texts({
  en: {
    login: 'Login',
    yourName: 'Your name',
    signInTitle: 'Sign in',
    signInAgain: 'Your session has ended. Sign in again; nothing that you typed is lost.',
    confirmTitle: 'Confirm your identity',
    confirmWhy: 'Confirm your identity to make this change.',
    setupTitle: 'Create the first operator',
    setupWhy: 'The service printed a setup code where it was started. With it you become the owner.',
    setupCode: 'Setup code',
    setupCodeHint: 'Twelve letters and digits, as in ABCD-EFGH-JKLM. A new one is printed at each start.',
    password: 'Password',
    passwordHint: 'At least 10 characters.',
    createOwner: 'Become the owner',
    loginRefused: 'Wrong login or password.',
    setupCodeWrong: 'Wrong setup code.',
    insecure:
      'This page was loaded over plain HTTP from another machine: passkeys do not work, and others on the network can read the traffic. Put HTTPS in front.',
  },
  ru: {
    login: 'Логин',
    yourName: 'Ваше имя',
    signInTitle: 'Вход',
    signInAgain: 'Сеанс закончился. Войдите снова: ничего из введённого не потеряно.',
    confirmTitle: 'Подтвердите, что это вы',
    confirmWhy: 'Чтобы сделать это изменение, подтвердите, что это вы.',
    setupTitle: 'Первый оператор',
    setupWhy: 'При запуске сервис напечатал код установки. С ним вы станете владельцем.',
    setupCode: 'Код установки',
    setupCodeHint: 'Двенадцать букв и цифр, например ABCD-EFGH-JKLM. При каждом запуске новый.',
    password: 'Пароль',
    passwordHint: 'Не меньше 10 знаков.',
    createOwner: 'Стать владельцем',
    loginRefused: 'Неверный логин или пароль.',
    setupCodeWrong: 'Неверный код установки.',
    insecure:
      'Страница открыта по обычному HTTP с другой машины: ключи доступа не работают, а трафик в сети могут прочитать посторонние. Поставьте перед сервисом HTTPS.',
  },
})
