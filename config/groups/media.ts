/** Groups Media and Media: voice. */
import { bool, choice, int, optionalNumber, secret, text, unused, url } from '../setting.ts'

export const media = {
  SERVICE_MEDIA_MAX_UPLOAD_MB: int(
    256,
    { min: 1, max: 1_048_576 },
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Maximum size of a media upload in megabytes.',
        ru: 'Наибольший размер загружаемого файла в мегабайтах.',
      },
    },
  ),
  SERVICE_MEDIA_QUOTA_MB: int(
    0,
    { min: 0, max: 1_000_000_000 },
    {
      apply: 'live',
      help: {
        en: 'Megabytes of files that a workspace may have; 0: no limit.',
        ru: 'Сколько мегабайт файлов может быть у рабочего пространства; 0: без предела.',
      },
    },
  ),
  SERVICE_MEDIA_RETENTION_DAYS: int(
    0,
    { min: 0, max: 36_500 },
    {
      apply: 'live',
      help: {
        en: 'Files that nothing uses are deleted after so many days; 0: they are kept.',
        ru: 'Через сколько дней удаляются файлы, которые нигде не используются; 0: они хранятся.',
      },
    },
  ),
  SERVICE_MEDIA_URL_TTL_S: int(
    900,
    { min: 10, max: 86_400 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'How long a signed address of a file is good for, in seconds.',
        ru: 'Сколько секунд действует подписанная ссылка на файл.',
      },
    },
  ),
  SERVICE_MEDIA_SCAN_URL: url({
    apply: 'live',
    help: {
      en: 'Scanner that each upload is posted to before anybody can read it; blank: none.',
      ru: 'Проверка, которой отправляется каждый файл, прежде чем его можно прочитать; пусто: нет.',
    },
  }),
  ...unused({
    SERVICE_STT_ENGINE: choice(['local', 'cloudstt', 'off'], 'local', {
      apply: 'restart',
      help: {
        en: 'Speech recognition: a local sidecar, a cloud vendor, or none.',
        ru: 'Распознавание речи: местная служба, облако или ничего.',
      },
    }),
    SERVICE_STT_URL: url({
      apply: 'restart',
      help: {
        en: 'Recognition sidecar; blank: http://127.0.0.1:8001.',
        ru: 'Адрес службы распознавания; пусто: http://127.0.0.1:8001.',
      },
    }),
    SERVICE_STT_MODEL: text(
      'small',
      {
        changedBy: 'admin',
        apply: 'restart',
        help: { en: 'Model of the recognition sidecar.', ru: 'Модель службы распознавания.' },
      },
      256,
    ),
    SERVICE_STT_LANGUAGE: text(
      '',
      {
        changedBy: 'admin',
        apply: 'restart',
        help: {
          en: 'Language for the cloud engine (BCP 47); blank: detected.',
          ru: 'Язык для облачного распознавания (BCP 47); пусто: определяется сам.',
        },
      },
      35,
    ),
    SERVICE_STT_API_KEY: secret({
      apply: 'restart',
      help: {
        en: 'Bearer key for the recognition sidecar, if it needs one.',
        ru: 'Ключ службы распознавания, если она его требует.',
      },
    }),
    SERVICE_STT_SUBSCRIPTION_URL: url({
      apply: 'restart',
      help: {
        en: 'Base of subscription recognition; blank: the subscription’s base.',
        ru: 'Адрес распознавания по подписке; пусто: адрес подписки.',
      },
    }),
    SERVICE_CLOUDSTT_API_KEY: secret({
      apply: 'restart',
      help: {
        en: 'Key of the cloud recogniser; blank: SERVICE_STT_API_KEY.',
        ru: 'Ключ облачного распознавания; пусто: SERVICE_STT_API_KEY.',
      },
    }),
    SERVICE_CLOUDSTT_MODEL: text(
      '',
      {
        changedBy: 'admin',
        apply: 'restart',
        help: {
          en: 'Model of the cloud recogniser; blank: the vendor’s default.',
          ru: 'Модель облачного распознавания; пусто: выбор поставщика.',
        },
      },
      256,
    ),
    SERVICE_CLOUDSTT_URL: url({
      apply: 'restart',
      help: {
        en: 'Base of the cloud recogniser; blank: the vendor’s default.',
        ru: 'Адрес облачного распознавания; пусто: адрес поставщика.',
      },
    }),
    SERVICE_IMAGE_BASE_URL: url({
      apply: 'restart',
      help: {
        en: 'Base of the images API, when a native key is used.',
        ru: 'Адрес API изображений, когда используется родной ключ.',
      },
    }),
    SERVICE_IMAGE_MODEL: text(
      '',
      {
        changedBy: 'admin',
        apply: 'restart',
        help: {
          en: 'Model of the image_generate tool; blank: the vendor’s default.',
          ru: 'Модель инструмента image_generate; пусто: выбор поставщика.',
        },
      },
      256,
    ),
    SERVICE_TTS_ENABLED: bool(true, {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Speech synthesis: the tts tool and voice mode.',
        ru: 'Синтез речи: инструмент tts и голосовой режим.',
      },
    }),
    SERVICE_TTS_URL: url({
      apply: 'restart',
      help: {
        en: 'Synthesis sidecar; blank: http://127.0.0.1:8002.',
        ru: 'Адрес службы синтеза; пусто: http://127.0.0.1:8002.',
      },
    }),
    SERVICE_TTS_API_KEY: secret({
      apply: 'restart',
      help: { en: 'Bearer for the synthesis sidecar.', ru: 'Ключ службы синтеза.' },
    }),
    SERVICE_TTS_MODEL: text(
      '',
      {
        changedBy: 'admin',
        apply: 'restart',
        help: { en: 'Model of the synthesis sidecar.', ru: 'Модель службы синтеза.' },
      },
      256,
    ),
    SERVICE_TTS_VOICE: text(
      'multilingual',
      {
        changedBy: 'admin',
        apply: 'restart',
        help: { en: 'Voice where none is named.', ru: 'Голос, если не назван другой.' },
      },
      256,
    ),
    SERVICE_VIDEO_URL: url({
      apply: 'restart',
      help: { en: 'Video-analysis sidecar; blank: off.', ru: 'Служба разбора видео; пусто: выключено.' },
    }),
    SERVICE_VIDEO_API_KEY: secret({
      apply: 'restart',
      help: { en: 'Key of the video sidecar.', ru: 'Ключ службы разбора видео.' },
    }),
  }),
}

export const voice = unused({
  SERVICE_VOICE_AEC: bool(true, {
    changedBy: 'admin',
    apply: 'live',
    help: { en: 'Capture needs echo cancellation.', ru: 'Записи нужно подавление эха.' },
  }),
  SERVICE_VOICE_AGC: bool(true, {
    changedBy: 'admin',
    apply: 'live',
    help: { en: 'Capture needs automatic gain control.', ru: 'Записи нужна автоматическая регулировка громкости.' },
  }),
  SERVICE_VOICE_NOISE_SUPPRESSION: bool(true, {
    changedBy: 'admin',
    apply: 'live',
    help: { en: 'Capture needs noise suppression.', ru: 'Записи нужно подавление шума.' },
  }),
  SERVICE_VOICE_BARGEIN_FRAMES: int(
    5,
    { min: 1, max: 500 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Voiced frames in a row (about 20 ms each) that interrupt playback.',
        ru: 'Сколько кадров речи подряд (около 20 мс каждый) прерывают воспроизведение.',
      },
    },
  ),
  SERVICE_VOICE_DUPLEX: bool(false, {
    changedBy: 'admin',
    apply: 'restart',
    help: { en: 'Live full-duplex voice.', ru: 'Живой двусторонний голос.' },
  }),
  SERVICE_VOICE_VAD_THRESHOLD: optionalNumber(
    '0.02',
    { min: 0, max: 1 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Speech-energy threshold; lower is more sensitive.',
        ru: 'Порог громкости речи; чем ниже, тем больше слышно.',
      },
    },
  ),
})
