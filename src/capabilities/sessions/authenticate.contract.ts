import { Type } from 'typebox'
import type { Credentials, SignedIn } from '#capabilities/sessions/authenticate.operation.ts'
import {
  merchantExample,
  MerchantRecord,
  merchantToWire,
  userExample,
  UserRecord,
  userToWire,
} from '#capabilities/sessions/signed-in.wire.ts'
import type { SignedInUser } from '#capabilities/sessions/token-owner.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { cardNumbers, orNull, WireFlag, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment, printUsMoment } from '#kernel/calendar.ts'
import { ok } from '#kernel/result.ts'
import { Secret } from '#kernel/secret.ts'

export const authenticateContract = defineContract({
  path: 'Authenticate',
  prefix: '/APIcardProcService/v1.0.0/',
  resultKey: 'AuthenticateResult',
  access: 'open',
  load: 'sign-in',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Authenticate',
  description:
    'Exchanges an account code and a token for a session key. Send the key in the header SessKey of every ' +
    'other call. RespMsg and the header SessKey-Expires tell when it expires: 25 hours after this call.',
  request: Type.Object({
    AcctCode: Type.String({ minLength: 1, maxLength: 75, description: 'Account code; never changes.' }),
    Token: Type.String({
      minLength: 1,
      maxLength: 75,
      description: 'Account token; expires every 2 years.',
      ...cardNumbers.allowed,
    }),
  }),
  result: Type.Object({
    AuthSuccess: WireFlag('The credentials were right.'),
    SessKey: WireText(64, 'The session key; empty when refused.'),
    MerchantList: Type.Array(MerchantRecord, { description: 'The merchant records this caller works for.' }),
    ThisUser: orNull(UserRecord),
  }),
  refusals: ['wrong_credentials', 'token_expired', 'account_closed', 'locked_out', 'rate_limited'],
  example: {
    // No code of the sandbox: whoever sends the sample six times would lock that out.
    request: { AcctCode: 'AB0000000', Token: 'the token that npm start prints' },
    result: {
      AuthSuccess: true,
      SessKey: '0123456789abcdef'.repeat(4),
      MerchantList: [merchantExample],
      ThisUser: userExample,
    },
    message: 'SessKey Expires|11/16/2026 10:00:00 AM',
  },
  fromWire: (body) => ok<Credentials>({ accountCode: body.AcctCode, token: new Secret(body.Token) }),
  toWire: (signedIn: SignedIn) => ({
    message: `SessKey Expires|${printUsMoment(signedIn.expiresAt)}`,
    notes: { 'SessKey-Expires': printMoment(signedIn.expiresAt) },
    members: {
      AuthSuccess: true,
      SessKey: signedIn.sessionKey.reveal(),
      MerchantList: signedIn.merchants.map(merchantToWire),
      ThisUser: userToWire(signedIn.user),
    },
  }),
  refusedToWire: (user: SignedInUser | null) => ({
    AuthSuccess: false,
    SessKey: '',
    MerchantList: [],
    ThisUser: user && userToWire(user),
  }),
})
