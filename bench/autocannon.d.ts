// The part of autocannon that the load process uses; the package brings no types.
declare module 'autocannon' {
  export type Client = {
    on(event: 'response', listener: (status: number, bytes: number, ms: number) => void): unknown
  }
  export type Options = {
    readonly url: string
    readonly method: 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly connections: number
    // How many requests in all. Unlike a duration it leaves none half-answered at the end.
    readonly amount: number
    readonly timeout: number
    readonly sampleInt: number
    readonly setupClient: (client: Client) => void
    readonly verifyBody: (body: string) => boolean
  }
  export type Result = { readonly errors: number; readonly timeouts: number; readonly mismatches: number }
  export default function autocannon(options: Options): PromiseLike<Result>
}
