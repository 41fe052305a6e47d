import NetTransport from "irc-framework/src/transports/net.js"

const plain = (fingerprint: string) => fingerprint.replaceAll(":", "").toLowerCase()

/** A connection that only goes on if the server's certificate has this fingerprint; nothing is sent before. */
export function pinnedTransport(fingerprint: string): typeof NetTransport {
  return class extends NetTransport {
    override onSocketFullyConnected(): void {
      const found = this.socket?.getPeerCertificate().fingerprint256 ?? ""
      if (plain(found) === plain(fingerprint)) super.onSocketFullyConnected()
      else {
        const problem = "the server's certificate has another fingerprint than chat.irc.tls_fingerprint"
        this.last_socket_error = new Error(`${problem}: ${found}`)
        this.socket?.destroy()
      }
    }
  }
}
