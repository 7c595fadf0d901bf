// The chat's own page.
import { CustomerChat } from "./chat.js";

new CustomerChat(document.getElementById("chat")).start();
