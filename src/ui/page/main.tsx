import { signal } from "@preact/signals";
import { render } from "preact";

const title = signal("ralphctl");

render(<p>{title}</p>, document.body);
