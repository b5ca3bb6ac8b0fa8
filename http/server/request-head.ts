/** The parts of a request that the edge needs, copied in one pass while uWebSockets.js still holds the request. */
import type { HttpRequest } from 'uWebSockets.js'

const digits = /^\d{1,15}$/

export class RequestHead {
  /** As the client wrote it. */
  readonly method: string
  readonly path: string
  /** Raw, without the question mark: the library's decoding turns `%zz` into garbage. */
  readonly query: string
  host = ''
  hosts = 0
  origin = ''
  /** Cookies as the browser sent them; several headers are joined. */
  cookie = ''
  traceparent = ''
  contentType = ''
  authorization = ''
  requestId = ''
  forwardedProto = ''
  /** All X-Forwarded-For lines in order, joined by commas. */
  forwardedFor = ''
  contentLength = ''
  contentLengths = 0
  transferEncoding = ''
  transferEncodings = 0

  constructor(request: HttpRequest) {
    this.method = request.getCaseSensitiveMethod()
    this.path = request.getUrl()
    this.query = request.getQuery() ?? ''
    filling = this
    request.forEach(take)
  }

  /** Whether body bytes may follow. */
  get hasBody(): boolean {
    return this.transferEncodings > 0 || (this.contentLength !== '' && this.contentLength !== '0')
  }

  /**
   * Whether two servers could read the request differently: its host, or the length of its body, which allows request
   * smuggling. The parser accepts repeated Host and Content-Length lines and any Transfer-Encoding that contains "chunked";
   * we accept none of them.
   */
  get isAmbiguous(): boolean {
    if (this.hosts > 1) return true
    if (this.contentLength !== '' && !digits.test(this.contentLength)) return true
    if (this.contentLengths > 1 || this.transferEncodings > 1) return true
    if (this.transferEncodings === 0) return false
    return this.contentLengths > 0 || this.transferEncoding.toLowerCase() !== 'chunked'
  }
}

/** One shared callback instead of a closure per request. Safe because the pass is synchronous. */
let filling: RequestHead

// By length first: a header that we do not need costs two integer comparisons.
function take(name: string, value: string): void {
  switch (name.length) {
    case 4:
      if (name === 'host') {
        filling.host = value
        filling.hosts++
      }
      return
    case 6:
      if (name === 'origin') filling.origin = value
      else if (name === 'cookie') filling.cookie += filling.cookie === '' ? value : `; ${value}`
      return
    case 11:
      if (name === 'traceparent') filling.traceparent = value
      return
    case 12:
      if (name === 'content-type') filling.contentType = value
      else if (name === 'x-request-id') filling.requestId = value
      return
    case 13:
      if (name === 'authorization') filling.authorization ||= value
      return
    case 14:
      if (name === 'content-length') {
        filling.contentLength = value
        filling.contentLengths++
      }
      return
    case 15:
      if (name === 'x-forwarded-for') filling.forwardedFor += filling.forwardedFor === '' ? value : `,${value}`
      return
    case 17:
      if (name === 'transfer-encoding') {
        filling.transferEncoding = value
        filling.transferEncodings++
      } else if (name === 'x-forwarded-proto') filling.forwardedProto ||= value
      return
  }
}
