import { Type } from 'typebox'
import { WireAddress, WireEmail, type WireOf, WirePhone, WireText } from '#capabilities/wire/scalars.wire.ts'

// Spec "Recurring consent operations", objects EndCustomer and AcctHolder. BillIngAdress is spelled as given.
const BillingAddress = Type.Object(
  {
    Address1: Type.Optional(WireText(100, 'First line.')),
    Address2: Type.Optional(WireText(100, 'Second line.')),
    City: Type.Optional(WireText(75, 'City.')),
    State: Type.Optional(WireText(75, 'State.')),
    ZIP: Type.Optional(WireText(20, 'Postal code.')),
    Country: Type.Optional(WireText(75, 'Country.')),
  },
  { title: 'Address', description: 'Also taken as BillingAddress.', 'x-aliases': ['BillingAddress'] },
)

export const PersonRequest = Type.Object(
  {
    Firstname: Type.Optional(WireText(75, 'First name.')),
    Lastname: Type.Optional(WireText(75, 'Last name.')),
    Company: Type.Optional(WireText(100, 'Company.')),
    Title: Type.Optional(WireText(75, 'Title.')),
    Url: Type.Optional(WireAddress(200, 'Web address.')),
    BillIngAdress: Type.Optional(BillingAddress),
    Email: Type.Optional(WireEmail('E-mail.')),
    Phone: Type.Optional(WirePhone('Phone, of at most 16 digits.')),
  },
  { title: 'Person' },
)

export type Person = {
  readonly firstName: string
  readonly lastName: string
  readonly company: string
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly country: string
  readonly email: string
  readonly phone: string
}

export function personFromWire(body: WireOf<typeof PersonRequest> | undefined): Person {
  const address = body?.BillIngAdress
  return {
    firstName: body?.Firstname ?? '',
    lastName: body?.Lastname ?? '',
    company: body?.Company ?? '',
    street: [address?.Address1, address?.Address2].filter(Boolean).join(', '),
    city: address?.City ?? '',
    state: address?.State ?? '',
    zip: address?.ZIP ?? '',
    country: address?.Country ?? '',
    email: body?.Email ?? '',
    phone: body?.Phone ?? '',
  }
}

// Whoever gives no name is known by the name of the company.
export function holderFromWire(body: WireOf<typeof PersonRequest> | undefined): Person {
  const holder = personFromWire(body)
  const isNamed = holder.firstName !== '' || holder.lastName !== ''
  return isNamed ? holder : { ...holder, lastName: holder.company }
}
