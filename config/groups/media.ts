/** Groups Media and Media: voice. */
import { bool, choice, int, optionalNumber, secret, text, url } from '../setting.ts'

export const media = {
  SERVICE_MEDIA_MAX_UPLOAD_MB: int(
    256,
    { min: 1, max: 1_048_576 },
    { whose: 'admin', apply: 'restart', help: 'Megabytes of one media upload at most.' },
  ),
  SERVICE_STT_ENGINE: choice(['local', 'cloudstt', 'off'], 'local', {
    apply: 'restart',
    help: 'Speech recognition: a local sidecar, a cloud vendor, or none.',
  }),
  SERVICE_STT_URL: url({ apply: 'restart', help: 'Recognition sidecar; blank: http://127.0.0.1:8001.' }),
  SERVICE_STT_MODEL: text(
    'small',
    { whose: 'admin', apply: 'restart', help: 'Model of the recognition sidecar.' },
    256,
  ),
  SERVICE_STT_LANGUAGE: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'Language for the cloud engine (BCP 47); blank: found out.' },
    35,
  ),
  SERVICE_STT_API_KEY: secret({ apply: 'restart', help: 'Bearer for the recognition sidecar, where it wants one.' }),
  SERVICE_STT_SUBSCRIPTION_URL: url({
    apply: 'restart',
    help: 'Base of subscription recognition; blank: the subscription’s base.',
  }),
  SERVICE_CLOUDSTT_API_KEY: secret({
    apply: 'restart',
    help: 'Key of the cloud recogniser; blank: SERVICE_STT_API_KEY.',
  }),
  SERVICE_CLOUDSTT_MODEL: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'Model of the cloud recogniser; blank: the vendor’s default.' },
    256,
  ),
  SERVICE_CLOUDSTT_URL: url({ apply: 'restart', help: 'Base of the cloud recogniser; blank: the vendor’s default.' }),
  SERVICE_IMAGE_BASE_URL: url({ apply: 'restart', help: 'Base of the images API, when a native key is used.' }),
  SERVICE_IMAGE_MODEL: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'Model of the image_generate tool; blank: the vendor’s default.' },
    256,
  ),
  SERVICE_TTS_ENABLED: bool(true, {
    whose: 'admin',
    apply: 'restart',
    help: 'Speech synthesis: the tts tool and voice mode.',
  }),
  SERVICE_TTS_URL: url({ apply: 'restart', help: 'Synthesis sidecar; blank: http://127.0.0.1:8002.' }),
  SERVICE_TTS_API_KEY: secret({ apply: 'restart', help: 'Bearer for the synthesis sidecar.' }),
  SERVICE_TTS_MODEL: text('', { whose: 'admin', apply: 'restart', help: 'Model of the synthesis sidecar.' }, 256),
  SERVICE_TTS_VOICE: text(
    'multilingual',
    { whose: 'admin', apply: 'restart', help: 'Voice where none is named.' },
    256,
  ),
  SERVICE_VIDEO_URL: url({ apply: 'restart', help: 'Video-analysis sidecar; blank: off.' }),
  SERVICE_VIDEO_API_KEY: secret({ apply: 'restart', help: 'Key of the video sidecar.' }),
}

export const voice = {
  SERVICE_VOICE_AEC: bool(true, { whose: 'admin', apply: 'live', help: 'Capture needs echo cancellation.' }),
  SERVICE_VOICE_AGC: bool(true, { whose: 'admin', apply: 'live', help: 'Capture needs automatic gain control.' }),
  SERVICE_VOICE_NOISE_SUPPRESSION: bool(true, {
    whose: 'admin',
    apply: 'live',
    help: 'Capture needs noise suppression.',
  }),
  SERVICE_VOICE_BARGEIN_FRAMES: int(
    5,
    { min: 1, max: 500 },
    { whose: 'admin', apply: 'live', help: 'Voiced frames in a row (about 20 ms each) that interrupt playback.' },
  ),
  SERVICE_VOICE_DUPLEX: bool(false, { whose: 'admin', apply: 'restart', help: 'Live full-duplex voice.' }),
  SERVICE_VOICE_VAD_THRESHOLD: optionalNumber(
    '0.02',
    { min: 0, max: 1 },
    { whose: 'admin', apply: 'live', help: 'Speech-energy threshold; lower hears more.' },
  ),
}
